touch started; read line <go; echo step

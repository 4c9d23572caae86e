/* The bytes of models.json, the built-in table of models. */
        .section .rodata
        .globl ralph_models_json
        .globl ralph_models_json_end
ralph_models_json:
        .incbin RALPH_MODELS_JSON
ralph_models_json_end:
        .byte 0
        .section .note.GNU-stack,"",%progbits

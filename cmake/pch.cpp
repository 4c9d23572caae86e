// Exists so that pch.h is compiled with our flags; every target reuses the result.

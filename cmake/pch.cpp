// Exists so that a precompiled header is compiled with our flags; other targets reuse the result.

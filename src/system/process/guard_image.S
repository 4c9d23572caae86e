/* The bytes of ralph-guard, so that a missing or wrong guard cannot happen. */
        .section .rodata
        .globl ralph_guard_image
        .globl ralph_guard_image_end
        .balign 16
ralph_guard_image:
        .incbin RALPH_GUARD_IMAGE
ralph_guard_image_end:
        .byte 0
        .section .note.GNU-stack,"",%progbits

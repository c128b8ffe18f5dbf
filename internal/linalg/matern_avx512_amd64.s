#include "textflag.h"

DATA maternTable<>+0(SB)/8, $0x4014000000000000 // 5
DATA maternTable<>+8(SB)/8, $0x3ff0000000000000 // 1
DATA maternTable<>+16(SB)/8, $0x4008000000000000 // 3
DATA maternTable<>+24(SB)/8, $0x3ffaaaaaaaaaaaab // 5/3
GLOBL maternTable<>(SB), RODATA|NOPTR, $32

// func maternRootsAVX512(x *float64, n int)
TEXT ·maternRootsAVX512(SB), NOSPLIT, $0-16
	MOVQ         x+0(FP), DI
	MOVQ         n+8(FP), CX
	VBROADCASTSD maternTable<>+0(SB), Z8
	SUBQ         $8, CX
	JLT          tail

wide:
	VMULPD  (DI), Z8, Z0
	VSQRTPD Z0, Z0
	VMOVUPD Z0, (DI)
	ADDQ    $64, DI
	SUBQ    $8, CX
	JGE     wide

tail:
	ADDQ      $8, CX
	JEQ       end
	MOVL      $1, AX
	SHLL      CX, AX
	DECL      AX
	KMOVW     AX, K1
	VMOVUPD.Z (DI), K1, Z0
	VMULPD    Z0, Z8, Z0
	VSQRTPD   Z0, Z0
	VMOVUPD   Z0, K1, (DI)

end:
	VZEROUPPER
	RET

// func maternFinishAVX512(x, slope, e *float64, n int)
// Products are not fused into the sums: the bytes are those of the portable loop.
TEXT ·maternFinishAVX512(SB), NOSPLIT, $0-32
	MOVQ         x+0(FP), DI
	MOVQ         slope+8(FP), SI
	MOVQ         e+16(FP), DX
	MOVQ         n+24(FP), CX
	VBROADCASTSD maternTable<>+8(SB), Z8
	VBROADCASTSD maternTable<>+16(SB), Z9
	VBROADCASTSD maternTable<>+24(SB), Z10
	MOVL         $255, AX

group:
	CMPQ CX, $8
	JGE  masked
	MOVL $1, AX
	SHLL CX, AX
	DECL AX

masked:
	KMOVW     AX, K1
	VMOVUPD.Z (DI), K1, Z0
	VMOVUPD.Z (DX), K1, Z1
	VADDPD    Z0, Z8, Z2   // 1 + r
	VMULPD    Z0, Z0, Z3
	VDIVPD    Z9, Z3, Z3   // r²/3
	VADDPD    Z3, Z2, Z3
	VMULPD    Z1, Z3, Z3
	VMOVUPD   Z3, K1, (DI)
	TESTQ     SI, SI
	JEQ       next
	VMULPD    Z2, Z10, Z2
	VMULPD    Z1, Z2, Z2
	VMOVUPD   Z2, K1, (SI)
	ADDQ      $64, SI

next:
	ADDQ $64, DI
	ADDQ $64, DX
	SUBQ $8, CX
	JGT  group
	VZEROUPPER
	RET

#include "textflag.h"

// A maximum with a NaN is its first operand here: the NaN.
#define CLAMP(v) \
	VADDPD Z10, v, v \
	VMAXPD v, Z11, v

// func addRowsAVX512(dst, base *float64, n int, coef *float64, index *int, count int, rows *float64, ld int, shift, floor float64)
//
// 64 elements of dst stay in registers while all rows are added, then 32 under masks.
TEXT ·addRowsAVX512(SB), NOSPLIT, $0-80
	MOVQ         dst+0(FP), DI
	MOVQ         base+8(FP), R12
	MOVQ         n+16(FP), BX
	MOVQ         coef+24(FP), R8
	MOVQ         index+32(FP), R9
	MOVQ         count+40(FP), R10
	MOVQ         rows+48(FP), SI
	MOVQ         ld+56(FP), R11
	VBROADCASTSD shift+64(FP), Z10
	VBROADCASTSD floor+72(FP), Z11
	SHLQ         $3, R11
	SUBQ $64, BX
	JLT  rest

wide:
	VMOVUPD (R12), Z0
	VMOVUPD 64(R12), Z1
	VMOVUPD 128(R12), Z2
	VMOVUPD 192(R12), Z3
	VMOVUPD 256(R12), Z4
	VMOVUPD 320(R12), Z5
	VMOVUPD 384(R12), Z6
	VMOVUPD 448(R12), Z7
	XORQ    DX, DX
	JMP     wideNext

wideRow:
	MOVQ         (R9)(DX*8), AX
	IMULQ        R11, AX
	ADDQ         SI, AX
	VBROADCASTSD (R8)(DX*8), Z8
	VFMADD231PD  (AX), Z8, Z0
	VFMADD231PD  64(AX), Z8, Z1
	VFMADD231PD  128(AX), Z8, Z2
	VFMADD231PD  192(AX), Z8, Z3
	VFMADD231PD  256(AX), Z8, Z4
	VFMADD231PD  320(AX), Z8, Z5
	VFMADD231PD  384(AX), Z8, Z6
	VFMADD231PD  448(AX), Z8, Z7
	INCQ         DX

wideNext:
	CMPQ DX, R10
	JLT  wideRow
	CLAMP(Z0)
	CLAMP(Z1)
	CLAMP(Z2)
	CLAMP(Z3)
	CLAMP(Z4)
	CLAMP(Z5)
	CLAMP(Z6)
	CLAMP(Z7)
	VMOVUPD Z0, (DI)
	VMOVUPD Z1, 64(DI)
	VMOVUPD Z2, 128(DI)
	VMOVUPD Z3, 192(DI)
	VMOVUPD Z4, 256(DI)
	VMOVUPD Z5, 320(DI)
	VMOVUPD Z6, 384(DI)
	VMOVUPD Z7, 448(DI)
	ADDQ    $512, DI
	ADDQ    $512, R12
	ADDQ    $512, SI
	SUBQ    $64, BX
	JGE     wide

rest:
	ADDQ $64, BX

narrow:
	TESTQ BX, BX
	JLE   end
	MOVQ  $-1, AX
	CMPQ  BX, $32
	JGE   masks
	MOVQ  $1, AX
	MOVQ  BX, CX
	SHLQ  CX, AX
	DECQ  AX

masks:
	KMOVW     AX, K1
	SHRQ      $8, AX
	KMOVW     AX, K2
	SHRQ      $8, AX
	KMOVW     AX, K3
	SHRQ      $8, AX
	KMOVW     AX, K4
	VMOVUPD.Z (R12), K1, Z0
	VMOVUPD.Z 64(R12), K2, Z1
	VMOVUPD.Z 128(R12), K3, Z2
	VMOVUPD.Z 192(R12), K4, Z3
	XORQ      DX, DX
	JMP       narrowNext

narrowRow:
	MOVQ         (R9)(DX*8), AX
	IMULQ        R11, AX
	ADDQ         SI, AX
	VBROADCASTSD (R8)(DX*8), Z8
	VFMADD231PD  (AX), Z8, K1, Z0
	VFMADD231PD  64(AX), Z8, K2, Z1
	VFMADD231PD  128(AX), Z8, K3, Z2
	VFMADD231PD  192(AX), Z8, K4, Z3
	INCQ         DX

narrowNext:
	CMPQ DX, R10
	JLT  narrowRow
	CLAMP(Z0)
	CLAMP(Z1)
	CLAMP(Z2)
	CLAMP(Z3)
	VMOVUPD Z0, K1, (DI)
	VMOVUPD Z1, K2, 64(DI)
	VMOVUPD Z2, K3, 128(DI)
	VMOVUPD Z3, K4, 192(DI)
	ADDQ    $256, DI
	ADDQ    $256, R12
	ADDQ    $256, SI
	SUBQ    $32, BX
	JMP     narrow

end:
	VZEROUPPER
	RET

// func addProductsAVX512(dst, x, y *float64, n int)
TEXT ·addProductsAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), CX
	SUBQ $32, CX
	JLT  rest

wide:
	VMOVUPD     (DI), Z0
	VMOVUPD     64(DI), Z1
	VMOVUPD     128(DI), Z2
	VMOVUPD     192(DI), Z3
	VMOVUPD     (SI), Z4
	VMOVUPD     64(SI), Z5
	VMOVUPD     128(SI), Z6
	VMOVUPD     192(SI), Z7
	VFMADD231PD (DX), Z4, Z0
	VFMADD231PD 64(DX), Z5, Z1
	VFMADD231PD 128(DX), Z6, Z2
	VFMADD231PD 192(DX), Z7, Z3
	VMOVUPD     Z0, (DI)
	VMOVUPD     Z1, 64(DI)
	VMOVUPD     Z2, 128(DI)
	VMOVUPD     Z3, 192(DI)
	ADDQ        $256, DI
	ADDQ        $256, SI
	ADDQ        $256, DX
	SUBQ        $32, CX
	JGE         wide

rest:
	ADDQ $32, CX
	SUBQ $8, CX
	JLT  tail

narrow:
	VMOVUPD     (DI), Z0
	VMOVUPD     (SI), Z4
	VFMADD231PD (DX), Z4, Z0
	VMOVUPD     Z0, (DI)
	ADDQ        $64, DI
	ADDQ        $64, SI
	ADDQ        $64, DX
	SUBQ        $8, CX
	JGE         narrow

tail:
	ADDQ        $8, CX
	JEQ         end
	MOVL        $1, AX
	SHLL        CX, AX
	DECL        AX
	KMOVW       AX, K1
	VMOVUPD.Z   (DI), K1, Z0
	VMOVUPD.Z   (SI), K1, Z4
	VFMADD231PD (DX), Z4, K1, Z0
	VMOVUPD     Z0, K1, (DI)

end:
	VZEROUPPER
	RET

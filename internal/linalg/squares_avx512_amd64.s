#include "textflag.h"

// func rowSquaresAVX512(dst, w, x, z *float64, ldz, rows, n int)
//
// 16 columns at a time, under masks.
TEXT ·rowSquaresAVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ x+16(FP), R9
	MOVQ z+24(FP), SI
	MOVQ ldz+32(FP), R10
	MOVQ rows+40(FP), R11
	MOVQ n+48(FP), BX
	SHLQ $3, R10

columns:
	MOVQ $-1, AX
	CMPQ BX, $16
	JGE  masks
	MOVQ $1, AX
	MOVQ BX, CX
	SHLQ CX, AX
	DECQ AX

masks:
	KMOVW  AX, K1
	SHRQ   $8, AX
	KMOVW  AX, K2
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	MOVQ   SI, DX
	XORQ   CX, CX

row:
	VBROADCASTSD (R9)(CX*8), Z4
	VBROADCASTSD (R8)(CX*8), Z5
	VMOVUPD.Z    (DX), K1, Z2
	VMOVUPD.Z    64(DX), K2, Z3
	VSUBPD       Z2, Z4, Z2
	VSUBPD       Z3, Z4, Z3
	VMULPD       Z2, Z5, Z6
	VMULPD       Z3, Z5, Z7
	VMULPD       Z2, Z6, Z6
	VMULPD       Z3, Z7, Z7
	VADDPD       Z6, Z0, Z0
	VADDPD       Z7, Z1, Z1
	ADDQ         R10, DX
	INCQ         CX
	CMPQ         CX, R11
	JLT          row
	VMOVUPD      Z0, K1, (DI)
	VMOVUPD      Z1, K2, 64(DI)
	ADDQ         $128, DI
	ADDQ         $128, SI
	SUBQ         $16, BX
	JGT          columns
	VZEROUPPER
	RET

// func columnSquaresAVX512(dst, w, x, z *float64, ldz, rows, n int)
TEXT ·columnSquaresAVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ x+16(FP), R9
	MOVQ z+24(FP), SI
	MOVQ ldz+32(FP), R10
	MOVQ rows+40(FP), R11
	MOVQ n+48(FP), BX
	SHLQ $3, R10

columns:
	MOVQ $-1, AX
	CMPQ BX, $16
	JGE  masks
	MOVQ $1, AX
	MOVQ BX, CX
	SHLQ CX, AX
	DECQ AX

masks:
	KMOVW     AX, K1
	SHRQ      $8, AX
	KMOVW     AX, K2
	VPXORQ    Z0, Z0, Z0
	VPXORQ    Z1, Z1, Z1
	VMOVUPD.Z (R9), K1, Z4
	VMOVUPD.Z 64(R9), K2, Z8
	MOVQ      SI, DX
	XORQ      CX, CX

row:
	VBROADCASTSD (R8)(CX*8), Z5
	VMOVUPD.Z    (DX), K1, Z2
	VMOVUPD.Z    64(DX), K2, Z3
	VSUBPD       Z2, Z4, Z2
	VSUBPD       Z3, Z8, Z3
	VMULPD       Z2, Z5, Z6
	VMULPD       Z3, Z5, Z7
	VMULPD       Z2, Z6, Z6
	VMULPD       Z3, Z7, Z7
	VADDPD       Z6, Z0, Z0
	VADDPD       Z7, Z1, Z1
	ADDQ         R10, DX
	INCQ         CX
	CMPQ         CX, R11
	JLT          row
	VMOVUPD      Z0, K1, (DI)
	VMOVUPD      Z1, K2, 64(DI)
	ADDQ         $128, DI
	ADDQ         $128, SI
	ADDQ         $128, R9
	SUBQ         $16, BX
	JGT          columns
	VZEROUPPER
	RET

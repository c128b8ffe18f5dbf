#include "textflag.h"

// func dotAVX2(x, y *float64, n int) float64
TEXT ·dotAVX2(SB), NOSPLIT, $0-32
	MOVQ   x+0(FP), SI
	MOVQ   y+8(FP), DI
	MOVQ   n+16(FP), CX
	CALL   dot2<>(SB)
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func dotRowsAVX2(dst, x *float64, n int, index *int, count int, rows *float64, ld int)
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), R8
	MOVQ index+24(FP), R9
	MOVQ count+32(FP), R10
	MOVQ ld+48(FP), R11
	SHLQ $3, R11

row:
	MOVQ   x+8(FP), SI
	MOVQ   (R9), DI
	IMULQ  R11, DI
	ADDQ   rows+40(FP), DI
	MOVQ   n+16(FP), CX
	CALL   dot2<>(SB)
	VMOVSD X0, (R8)
	ADDQ   $8, R8
	ADDQ   $8, R9
	DECQ   R10
	JNE    row
	VZEROUPPER
	RET

// dot2 returns the product of the CX elements at SI and DI in X0; it uses Y1-Y15.
TEXT dot2<>(SB), NOSPLIT, $0-0
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	SUBQ   $32, CX
	JLT    rest

wide:
	VMOVUPD     (SI), Y8
	VMOVUPD     32(SI), Y9
	VMOVUPD     64(SI), Y10
	VMOVUPD     96(SI), Y11
	VMOVUPD     128(SI), Y12
	VMOVUPD     160(SI), Y13
	VMOVUPD     192(SI), Y14
	VMOVUPD     224(SI), Y15
	VFMADD231PD (DI), Y8, Y0
	VFMADD231PD 32(DI), Y9, Y1
	VFMADD231PD 64(DI), Y10, Y2
	VFMADD231PD 96(DI), Y11, Y3
	VFMADD231PD 128(DI), Y12, Y4
	VFMADD231PD 160(DI), Y13, Y5
	VFMADD231PD 192(DI), Y14, Y6
	VFMADD231PD 224(DI), Y15, Y7
	ADDQ        $256, SI
	ADDQ        $256, DI
	SUBQ        $32, CX
	JGE         wide

rest:
	VADDPD Y4, Y0, Y0
	VADDPD Y5, Y1, Y1
	VADDPD Y6, Y2, Y2
	VADDPD Y7, Y3, Y3
	ADDQ   $32, CX
	SUBQ   $4, CX
	JLT    sum

narrow:
	VMOVUPD     (SI), Y8
	VFMADD231PD (DI), Y8, Y0
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $4, CX
	JGE         narrow

sum:
	VADDPD       Y2, Y0, Y0
	VADDPD       Y3, Y1, Y1
	VADDPD       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD       X1, X0, X0
	VPERMILPD    $1, X0, X1
	VADDSD       X1, X0, X0
	ADDQ         $4, CX
	JEQ          end

tail:
	VMOVSD      (SI), X8
	VFMADD231SD (DI), X8, X0
	ADDQ        $8, SI
	ADDQ        $8, DI
	DECQ        CX
	JNE         tail

end:
	RET

// func axpyAVX2(y *float64, alpha float64, x *float64, n int)
TEXT ·axpyAVX2(SB), NOSPLIT, $0-32
	MOVQ         y+0(FP), DI
	VBROADCASTSD alpha+8(FP), Y8
	MOVQ         x+16(FP), SI
	MOVQ         n+24(FP), CX
	SUBQ         $16, CX
	JLT          rest

wide:
	VMOVUPD     (DI), Y0
	VMOVUPD     32(DI), Y1
	VMOVUPD     64(DI), Y2
	VMOVUPD     96(DI), Y3
	VFMADD231PD (SI), Y8, Y0
	VFMADD231PD 32(SI), Y8, Y1
	VFMADD231PD 64(SI), Y8, Y2
	VFMADD231PD 96(SI), Y8, Y3
	VMOVUPD     Y0, (DI)
	VMOVUPD     Y1, 32(DI)
	VMOVUPD     Y2, 64(DI)
	VMOVUPD     Y3, 96(DI)
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JGE         wide

rest:
	ADDQ $16, CX
	JEQ  end
	SUBQ $4, CX
	JLT  scalar

narrow:
	VMOVUPD     (DI), Y0
	VFMADD231PD (SI), Y8, Y0
	VMOVUPD     Y0, (DI)
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $4, CX
	JGE         narrow

scalar:
	ADDQ $4, CX
	JEQ  end

tail:
	VMOVSD      (DI), X0
	VFMADD231SD (SI), X8, X0
	VMOVSD      X0, (DI)
	ADDQ        $8, SI
	ADDQ        $8, DI
	DECQ        CX
	JNE         tail

end:
	VZEROUPPER
	RET

// func addClampAVX2(dst *float64, shift float64, y *float64, n int)
TEXT ·addClampAVX2(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	VBROADCASTSD shift+8(FP), Y8
	MOVQ         y+16(FP), SI
	MOVQ         n+24(FP), CX
	VXORPD       Y9, Y9, Y9
	SUBQ         $4, CX
	JLT          rest

	// A maximum with a NaN is its first operand here: the NaN.
wide:
	VADDPD  (SI), Y8, Y0
	VADDPD  (DI), Y0, Y0
	VMAXPD  Y0, Y9, Y0
	VMOVUPD Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     wide

rest:
	ADDQ $4, CX
	JEQ  end

tail:
	VADDSD (SI), X8, X0
	VADDSD (DI), X0, X0
	VMAXSD X0, X9, X0
	VMOVSD X0, (DI)
	ADDQ   $8, SI
	ADDQ   $8, DI
	DECQ   CX
	JNE    tail

end:
	VZEROUPPER
	RET

// func columnDistancesAVX2(dst, x, z *float64, ldz, d, n int)
// Products are not fused into the sums: the bytes are those of the portable loop.
TEXT ·columnDistancesAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), DX
	MOVQ z+16(FP), SI
	MOVQ ldz+24(FP), R8
	MOVQ d+32(FP), R9
	MOVQ n+40(FP), CX
	SHLQ $3, R8
	SUBQ $16, CX
	JLT  rest

wide:
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R9, R12

wideRow:
	VBROADCASTSD (R11), Y8
	VMOVUPD      (R10), Y4
	VMOVUPD      32(R10), Y5
	VMOVUPD      64(R10), Y6
	VMOVUPD      96(R10), Y7
	VSUBPD       Y8, Y4, Y4
	VSUBPD       Y8, Y5, Y5
	VSUBPD       Y8, Y6, Y6
	VSUBPD       Y8, Y7, Y7
	VMULPD       Y4, Y4, Y4
	VMULPD       Y5, Y5, Y5
	VMULPD       Y6, Y6, Y6
	VMULPD       Y7, Y7, Y7
	VADDPD       Y4, Y0, Y0
	VADDPD       Y5, Y1, Y1
	VADDPD       Y6, Y2, Y2
	VADDPD       Y7, Y3, Y3
	ADDQ         $8, R11
	ADDQ         R8, R10
	DECQ         R12
	JNE          wideRow
	VMOVUPD      Y0, (DI)
	VMOVUPD      Y1, 32(DI)
	VMOVUPD      Y2, 64(DI)
	VMOVUPD      Y3, 96(DI)
	ADDQ         $128, SI
	ADDQ         $128, DI
	SUBQ         $16, CX
	JGE          wide

rest:
	ADDQ $16, CX
	JEQ  end
	SUBQ $4, CX
	JLT  scalars

narrow:
	VXORPD Y0, Y0, Y0
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R9, R12

narrowRow:
	VBROADCASTSD (R11), Y8
	VMOVUPD      (R10), Y4
	VSUBPD       Y8, Y4, Y4
	VMULPD       Y4, Y4, Y4
	VADDPD       Y4, Y0, Y0
	ADDQ         $8, R11
	ADDQ         R8, R10
	DECQ         R12
	JNE          narrowRow
	VMOVUPD      Y0, (DI)
	ADDQ         $32, SI
	ADDQ         $32, DI
	SUBQ         $4, CX
	JGE          narrow

scalars:
	ADDQ $4, CX
	JEQ  end

scalar:
	VXORPD X0, X0, X0
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R9, R12

scalarRow:
	VMOVSD (R10), X4
	VSUBSD (R11), X4, X4
	VMULSD X4, X4, X4
	VADDSD X4, X0, X0
	ADDQ   $8, R11
	ADDQ   R8, R10
	DECQ   R12
	JNE    scalarRow
	VMOVSD X0, (DI)
	ADDQ   $8, SI
	ADDQ   $8, DI
	DECQ   CX
	JNE    scalar

end:
	VZEROUPPER
	RET

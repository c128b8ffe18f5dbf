#include "textflag.h"

// func dotAVX512(x, y *float64, n int) float64
TEXT ·dotAVX512(SB), NOSPLIT, $0-32
	MOVQ   x+0(FP), SI
	MOVQ   y+8(FP), DI
	MOVQ   n+16(FP), CX
	CALL   dot512<>(SB)
	VMOVSD X0, ret+24(FP)
	VZEROUPPER
	RET

// func dotRowsAVX512(dst, x *float64, n int, index *int, count int, rows *float64, ld int)
TEXT ·dotRowsAVX512(SB), NOSPLIT, $0-56
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
	CALL   dot512<>(SB)
	VMOVSD X0, (R8)
	ADDQ   $8, R8
	ADDQ   $8, R9
	DECQ   R10
	JNE    row
	VZEROUPPER
	RET

// dot512 returns the product of the CX elements at SI and DI in X0; it uses AX and Z1-Z15.
TEXT dot512<>(SB), NOSPLIT, $0-0
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	SUBQ   $64, CX
	JLT    rest

wide:
	VMOVUPD     (SI), Z8
	VMOVUPD     64(SI), Z9
	VMOVUPD     128(SI), Z10
	VMOVUPD     192(SI), Z11
	VMOVUPD     256(SI), Z12
	VMOVUPD     320(SI), Z13
	VMOVUPD     384(SI), Z14
	VMOVUPD     448(SI), Z15
	VFMADD231PD (DI), Z8, Z0
	VFMADD231PD 64(DI), Z9, Z1
	VFMADD231PD 128(DI), Z10, Z2
	VFMADD231PD 192(DI), Z11, Z3
	VFMADD231PD 256(DI), Z12, Z4
	VFMADD231PD 320(DI), Z13, Z5
	VFMADD231PD 384(DI), Z14, Z6
	VFMADD231PD 448(DI), Z15, Z7
	ADDQ        $512, SI
	ADDQ        $512, DI
	SUBQ        $64, CX
	JGE         wide

rest:
	ADDQ $64, CX
	SUBQ $8, CX
	JLT  tail

narrow:
	VMOVUPD     (SI), Z8
	VFMADD231PD (DI), Z8, Z0
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $8, CX
	JGE         narrow

tail:
	ADDQ        $8, CX
	JEQ         sum
	MOVL        $1, AX
	SHLL        CX, AX
	DECL        AX
	KMOVW       AX, K1
	VMOVUPD.Z   (SI), K1, Z8
	VFMADD231PD (DI), Z8, K1, Z1

sum:
	VADDPD        Z4, Z0, Z0
	VADDPD        Z5, Z1, Z1
	VADDPD        Z6, Z2, Z2
	VADDPD        Z7, Z3, Z3
	VADDPD        Z2, Z0, Z0
	VADDPD        Z3, Z1, Z1
	VADDPD        Z1, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPD        Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	VADDPD        X1, X0, X0
	VPERMILPD     $1, X0, X1
	VADDSD        X1, X0, X0
	RET

// func axpyAVX512(y *float64, alpha float64, x *float64, n int)
TEXT ·axpyAVX512(SB), NOSPLIT, $0-32
	MOVQ         y+0(FP), DI
	VBROADCASTSD alpha+8(FP), Z8
	MOVQ         x+16(FP), SI
	MOVQ         n+24(FP), CX
	SUBQ         $32, CX
	JLT          rest

wide:
	VMOVUPD     (DI), Z0
	VMOVUPD     64(DI), Z1
	VMOVUPD     128(DI), Z2
	VMOVUPD     192(DI), Z3
	VFMADD231PD (SI), Z8, Z0
	VFMADD231PD 64(SI), Z8, Z1
	VFMADD231PD 128(SI), Z8, Z2
	VFMADD231PD 192(SI), Z8, Z3
	VMOVUPD     Z0, (DI)
	VMOVUPD     Z1, 64(DI)
	VMOVUPD     Z2, 128(DI)
	VMOVUPD     Z3, 192(DI)
	ADDQ        $256, SI
	ADDQ        $256, DI
	SUBQ        $32, CX
	JGE         wide

rest:
	ADDQ $32, CX
	SUBQ $8, CX
	JLT  tail

narrow:
	VMOVUPD     (DI), Z0
	VFMADD231PD (SI), Z8, Z0
	VMOVUPD     Z0, (DI)
	ADDQ        $64, SI
	ADDQ        $64, DI
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
	VFMADD231PD (SI), Z8, K1, Z0
	VMOVUPD     Z0, K1, (DI)

end:
	VZEROUPPER
	RET

// func addClampAVX512(dst *float64, shift float64, y *float64, n int)
TEXT ·addClampAVX512(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	VBROADCASTSD shift+8(FP), Z8
	MOVQ         y+16(FP), SI
	MOVQ         n+24(FP), CX
	VPXORQ       Z9, Z9, Z9
	SUBQ         $8, CX
	JLT          tail

	// A maximum with a NaN is its first operand here: the NaN.
wide:
	VADDPD  (SI), Z8, Z0
	VADDPD  (DI), Z0, Z0
	VMAXPD  Z0, Z9, Z0
	VMOVUPD Z0, (DI)
	ADDQ    $64, SI
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
	VMOVUPD.Z (SI), K1, Z1
	VMOVUPD.Z (DI), K1, Z0
	VADDPD    Z1, Z8, Z1
	VADDPD    Z0, Z1, Z0
	VMAXPD    Z0, Z9, Z0
	VMOVUPD   Z0, K1, (DI)

end:
	VZEROUPPER
	RET

// func columnDistancesAVX512(dst, x, z *float64, ldz, d, n int)
// Products are not fused into the sums: the bytes are those of the portable loop.
TEXT ·columnDistancesAVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), DX
	MOVQ z+16(FP), SI
	MOVQ ldz+24(FP), R8
	MOVQ d+32(FP), R9
	MOVQ n+40(FP), CX
	SHLQ $3, R8
	SUBQ $32, CX
	JLT  rest

wide:
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R9, R12

wideRow:
	VBROADCASTSD (R11), Z8
	VMOVUPD      (R10), Z4
	VMOVUPD      64(R10), Z5
	VMOVUPD      128(R10), Z6
	VMOVUPD      192(R10), Z7
	VSUBPD       Z8, Z4, Z4
	VSUBPD       Z8, Z5, Z5
	VSUBPD       Z8, Z6, Z6
	VSUBPD       Z8, Z7, Z7
	VMULPD       Z4, Z4, Z4
	VMULPD       Z5, Z5, Z5
	VMULPD       Z6, Z6, Z6
	VMULPD       Z7, Z7, Z7
	VADDPD       Z4, Z0, Z0
	VADDPD       Z5, Z1, Z1
	VADDPD       Z6, Z2, Z2
	VADDPD       Z7, Z3, Z3
	ADDQ         $8, R11
	ADDQ         R8, R10
	DECQ         R12
	JNE          wideRow
	VMOVUPD      Z0, (DI)
	VMOVUPD      Z1, 64(DI)
	VMOVUPD      Z2, 128(DI)
	VMOVUPD      Z3, 192(DI)
	ADDQ         $256, SI
	ADDQ         $256, DI
	SUBQ         $32, CX
	JGE          wide

rest:
	ADDQ $32, CX
	JEQ  end

narrow:
	MOVL $255, AX
	CMPQ CX, $8
	JGE  masked
	MOVL $1, AX
	SHLL CX, AX
	DECL AX

masked:
	KMOVW  AX, K1
	VPXORQ Z0, Z0, Z0
	MOVQ   SI, R10
	MOVQ   DX, R11
	MOVQ   R9, R12

narrowRow:
	VBROADCASTSD (R11), Z8
	VMOVUPD.Z    (R10), K1, Z4
	VSUBPD       Z8, Z4, Z4
	VMULPD       Z4, Z4, Z4
	VADDPD       Z4, Z0, Z0
	ADDQ         $8, R11
	ADDQ         R8, R10
	DECQ         R12
	JNE          narrowRow
	VMOVUPD      Z0, K1, (DI)
	ADDQ         $64, SI
	ADDQ         $64, DI
	SUBQ         $8, CX
	JGT          narrow

end:
	VZEROUPPER
	RET

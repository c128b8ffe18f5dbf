// Package embed maps the box [-1,1]^D to a few dimensions and back.
//
// A Map takes x to z; Linear is z = Bx. A Reconstruction finds a point of the box for a
// given z: PseudoInverse always the same one, x = clamp(B⁺z); Randomised a random one
// of all that map to z (alg:random_reconstruction). SIR learns B from points and values.
//
// A Subspace goes the other way, from z to x = clamp(Az), and finds z again from x:
// Gaussian has normal entries in A, Hashing a single +-1 in each row.
//
// Symbols:
//
//	B      d x D, the embedding
//	B⁺     D x d, its Moore-Penrose inverse, Bᵀ(BBᵀ)⁻¹ when B has full rank
//	A      D x d, the random matrix of a subspace
//	N(B)   null space of B: what a map forgets and a reconstruction has to choose
//	fibre  the points of the box that map to z
//	r      residual Bx - z
//	gamma  step length of the gradient descent
//	X      N x D, centred points; W, M, L the N x N graphs of SIR
//
// Cost: the inverse takes O(d²D), a reconstruction O(dD) for the pseudo-inverse and
// O(dD) for each start and step of the randomised one; SIR O(N²D); recovering z from a
// point of a subspace O(d²D) for Gaussian, O(D) for Hashing.
//
// Citation: Horiguchi, Iwata, Tsuzuki, Ozawa (2022), section 3; Wang et al. (2016) and
// Nayebi et al. (2019) for the subspaces; Chen, Zhu, Yuan, Huang (2020), Semi-supervised
// embedding learning for high-dimensional Bayesian optimization, arXiv:2005.14601, for SIR.
package embed

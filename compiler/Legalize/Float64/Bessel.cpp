// Bessel functions of f64.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Functions.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;

// Coefficients are those of interpolations in Chebyshev nodes, from the constant one on, in units
// of 2^-64; all but the constant ones plus 1/2.

// e^-x I1(x) / x as a function of x, below 2 and in the binades from 2 to 16, and
// e^-x I1(x) sqrt(x) as one of 16 / x.
constexpr uint64_t kBessel[][25] = {
    {0x35399df26cbe005b, 0x2f1e576646bc6e2a, 0xd50e975211ddd726, 0x39607f62ccbf3487,
     0xb0b6e1115f07c718, 0x633c4a7cf8f535ab, 0x8ed8811a457d8fc5, 0x793263ac7f268724,
     0x82cd75dbc55fcbe4, 0x7ef3a07695759448, 0x805bea343e6ffa4b, 0x7fe2f9744620523c,
     0x800880865c9512ce, 0x7ffdad91d65f4ffd, 0x8000980e0b65c634, 0x7fffdb6d1d76ebcb,
     0x8000084ad70184e6, 0x7ffffe37cc747be2, 0x8000006168760aad, 0x7fffffed2a710145,
     0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000,
     0x8000000000000000},
    {0x432efb0b746ba197, 0x45f17454983bccad, 0xa7cdaceb4e7556c6, 0x680e375e36b8cfa5,
     0x8cf0a238b3fc98a9, 0x79a9a80658c92de4, 0x82d3e01f60a57250, 0x7ed85f107f23ecc1,
     0x806f0244bea2cdfd, 0x7fd980919f72f0c3, 0x800c6245b59cd6be, 0x7ffc4a2d30a74b1b,
     0x80010a104f51f593, 0x7fffba11120fe097, 0x8000114de955c18f, 0x7ffffbf60fd9a71d,
     0x800000e4ced3af6c, 0x7fffffcdabb1f892, 0x8000000a0528c366, 0x8000000000000000,
     0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000,
     0x8000000000000000},
    {0x67cceb22c55d34ad, 0x1d7bc1e4aba536cc, 0xcd6189fd90511b4a, 0x47cb1128f33798d9,
     0xa6e1ce0fc3b9a93e, 0x66219675d3322375, 0x909809f227bd19c2, 0x75be9d907bf85a9d,
     0x86181c03e64dc515, 0x7c869e8bb21d29ac, 0x81e56ee71cac4660, 0x7f02b0e1fa4936e8,
     0x807e4367f37b6d36, 0x7fc3e68f08c374e5, 0x801b51fd84aa2e88, 0x7ff4222f4219df5d,
     0x8004edb6ec8d8ca5, 0x7ffe0a270a983de9, 0x8000bf197349880a, 0x7fffbb0e6ddc3bef,
     0x80001839476ec516, 0x7ffff67492f70786, 0x80000310d1e889f5, 0x8000000000000000,
     0x8000000000000000},
    {0x4c17cc55a938bf74, 0x35a4349603801b95, 0xbc7bc40c96b90cbe, 0x52241988b8638a47,
     0xa17b22a7936ce5fb, 0x68233819916bbf03, 0x90b806603a9db97d, 0x74707383cff7cb3b,
     0x87e87015292cd66a, 0x7aa4414b0ad5a895, 0x83995f069b47c6c9, 0x7d9a6bd5336ca0e5,
     0x81950576b326e8fe, 0x7ef727ce2a9205c7, 0x80ab66565537ea2d, 0x7f9256050af81dce,
     0x8045403cd31ca916, 0x7fd4fa3913512b63, 0x801a5c15e2f971d2, 0x7fefd1ab0213acc8,
     0x800987ce80d994e6, 0x7ffb48ad9c7e1458, 0x8002b66186594209, 0x7ffd5558635611d2,
     0x800169c0b58c4bd4},
    {0xc9d73b5800bb7dbb, 0x7b1d77fd68122a0a, 0x7fe5e863357f6aea, 0x7ffe6b82852ee68c,
     0x7fffd71b78b12cf5, 0x7ffffa1b4a3dbcb5, 0x7ffffee0717d4ef0, 0x7fffffba906feb72,
     0x7fffffeb51981169, 0x7ffffff887e49117, 0x7ffffffcc276ab90, 0x7ffffffe4b5879b9,
     0x7ffffffeefeef5fc, 0x7fffffff651f594f, 0x7fffffff5e1a6e00, 0x7ffffffe0947a7f0,
     0x7ffffffdf0eb6bab, 0x80000002684836eb, 0x80000004b99e8182, 0x7fffffff8709b4f6,
     0x7ffffffd4f9b5e97, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000,
     0x8000000000000000},
};
constexpr int kBesselScales[] = {0, -2, -4, -5, -1};
constexpr int kBesselFar = 4; ///< the binary logarithm of 16

Words Functions::besselI1e(const Words &x) {
  Value none = zero(x.low), one = number(1, none);
  Number a = unpack(x);
  Value e = subtract(a.exponent, number(kBias, none)), far = number(kBesselFar, none);
  Value isFar = invert(lessSigned(e, far)), isSmall = lessSigned(e, one);
  Words inPiece = choose(isSmall, fixedOf(a, 1), shiftLeft(a.significand, one));
  Position near = position(inPiece, uint64_t(1) << 63, 0);
  Number inverse = over(powerOfTwo(kBesselFar, none), a);
  Position other = position(fixedOf(inverse, 1), uint64_t(1) << 62, 1);
  Position at = {select(isFar, other.isMinus, near.isMinus),
                 choose(isFar, other.distance, near.distance)};
  Value piece = signedMin(signedMax(e, none), far);
  Number factor = polynomialOf(piecesOf(kBessel, kBesselScales), piece, at);
  Number quotient = over(factor, unpack(root(absolute(x))));
  Words result = rounded(sign(x), choose(isFar, quotient, times(a, factor)));
  result = choose(isFinite(x), result, Words{none, sign(x)});
  return choose(isNaN(x), special(kNaN, none), result);
}

} // namespace systole::float64

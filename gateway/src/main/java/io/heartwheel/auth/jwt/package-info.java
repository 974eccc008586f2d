/**
 * Signed tokens of an issuer (JWT, RFC 7519), checked against keys that configuration names: HS256, RS256, ES256 and EdDSA with Ed25519.
 *
 * <p>Floor 1, a part of {@code auth}; nimbus-jose-jwt for keys and signatures, Amazon's provider behind it, Jackson for reading JSON strictly, the JDK's HTTP client.
 *
 * <pre>
 *   request --looks like one--&gt; [ VerifiedTokens ] --known--&gt; admitted
 *                                     | not known
 *                               a worker: CompactToken, TokenRules, KeySet, signature --&gt; admitted or refused
 *                                     | key id not known
 *                               [ KeyUrl ] one fetch for all who wait, then a worker again
 * </pre>
 */
@NullMarked
package io.heartwheel.auth.jwt;

import org.jspecify.annotations.NullMarked;

/**
 * Method {@code certificate}: the certificate of the TLS handshake says which device it is. Floor 1.
 *
 * <pre>
 *   chain of the handshake --&gt; CertificateNames: SAN or CN, by pattern --&gt; the id of HELLO is among them?
 *                          --&gt; RevokedSerials: not in a CRL of its issuer?        | yes: admitted until it expires
 *   CRL file, authorities --&gt; CrlFile ^ one volatile reference
 * </pre>
 */
@NullMarked
package io.heartwheel.auth.certificate;

import org.jspecify.annotations.NullMarked;

/**
 * Addresses, networks, request targets, calls by HTTP, certificates and keys as text: what the Internet's documents define, without a library.
 *
 * <p>Floor 0: the JDK alone. Whoever has a channel asks it and hands the bytes down.
 *
 * <pre>
 *   transport, protocol, admin --&gt;  IpAddress  Network  RequestTarget --&gt; HttpError
 *   auth.*, outlet.*            --&gt;  HttpCaller  BoundedBody  RetryAfter
 *   transport.tls, nats         --&gt;  ClientTls  Pem  Der
 * </pre>
 */
@NullMarked
package io.heartwheel.net;

import org.jspecify.annotations.NullMarked;

/**
 * What the Internet's documents define and no library of ours has to know: addresses, networks, what the kernel tells of TCP, the target of an HTTP
 * request.
 *
 * <p>Floor 0: the JDK alone. Whoever has a channel asks it and hands the bytes down.
 *
 * <pre>
 *   transport, protocol, admin --&gt;  IpAddress  Network  TcpInfo  RequestTarget --&gt; HttpError
 * </pre>
 */
@NullMarked
package io.heartwheel.net;

import org.jspecify.annotations.NullMarked;

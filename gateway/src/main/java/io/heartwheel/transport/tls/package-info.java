/**
 * TLS of the listeners: certificates chosen by name, contexts that are exchanged while connections live, ticket keys that processes share.
 *
 * <p>Floor 4, part of {@code transport}; sees nothing of it.
 *
 * <pre>
 *   TlsSettings --&gt; TlsFiles --&gt; Certificate x n --&gt; TlsContexts --&gt; TlsListener --&gt; SslHandler of a connection
 *                     ^ read again                      ^ keys             ^ swapped
 *                     +---------------------------------+------------------+-- TlsListeners, once a second
 *                                                  TicketStore
 * </pre>
 */
@NullMarked
package io.heartwheel.transport.tls;

import org.jspecify.annotations.NullMarked;

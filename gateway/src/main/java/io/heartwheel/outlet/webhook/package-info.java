/**
 * Outlet to a receiver of HTTP requests, each a JSON array of CloudEvents or one of them.
 *
 * <p>Floor 4, a part of {@code outlet}; the JDK's HTTP client.
 *
 * <pre>
 *   chunk --by device--&gt; partition 0: [batch] [batch] --POST--&gt; 2xx: the next
 *                        partition 1: [batch]         --POST--&gt; refused: half of it
 *                        partition 2: [batch]         --POST--&gt; else: this partition waits, the others go on
 * </pre>
 */
@NullMarked
package io.heartwheel.outlet.webhook;

import org.jspecify.annotations.NullMarked;

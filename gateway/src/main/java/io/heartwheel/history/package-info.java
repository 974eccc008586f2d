/**
 * Bounded memory of past closes and incidents, for operators who ask why.
 *
 * <p>Floor 4, over {@code event} and {@code session}; imports none of its neighbours.
 *
 * <pre>
 *   session observer --&gt; CloseLog       one log line a second at most
 *                    --&gt; RecentCloses   the latest closes with their evidence  --&gt; admin
 *                    --&gt; ShadowLedger   what the shadow policy would have closed --&gt; admin
 * </pre>
 */
@NullMarked
package io.heartwheel.history;

import org.jspecify.annotations.NullMarked;

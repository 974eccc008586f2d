/**
 * Method {@code tokens}: a file of salted hashes, a line a device. Floor 1.
 *
 * <pre>
 *   file --&gt; TokenFile --lines--&gt; TokenLine --&gt; TokenTable.Builder --&gt; TokenTable
 *               ^                                                       | one volatile reference
 *   refresh: changed and settled                                       v
 *                                            device, token --&gt; TokensAuthenticator --&gt; admitted, refused, not mine
 * </pre>
 */
@NullMarked
package io.heartwheel.auth.tokens;

import org.jspecify.annotations.NullMarked;

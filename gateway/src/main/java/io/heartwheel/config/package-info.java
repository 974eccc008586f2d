/**
 * The configuration file, read once and turned into the validated records that live with their owners.
 *
 * <p>Floor 6; the only package that sees typesafe-config, and no Netty.
 *
 * <pre>
 *   gateway.conf (HOCON) --&gt; key, value, range, unit --+-- good --&gt; records of wheel, session, ...
 *                                                      +-- bad  --&gt; "heartbeat.interval = 3ms: need 1s..24h"
 * </pre>
 */
@NullMarked
package io.heartwheel.config;

import org.jspecify.annotations.NullMarked;

/**
 * The configuration file, read once and turned into the records that live with their owners.
 *
 * <p>A range is written once, in {@code Keys}, and what one key demands of another in {@code Rules}: every value comes through both, from a file, an override or a
 * reload. The records check nothing of it again. A reload may take over a part of a change, so keys of one rule take effect at the same time; the one exception,
 * who may come in and where, is checked by {@link io.heartwheel.config.GatewaySettings} as well.
 *
 * <p>Floor 7; the only package that sees typesafe-config, and no Netty.
 *
 * <pre>
 *   gateway.conf (HOCON), environment, -D   --&gt; FlatConfig   value of each key, known or not
 *   Keys: type, range, change of each key   --&gt; Block        each value checked by itself
 *                                           --&gt; Rules        each value checked against others
 *            mistakes: all told at once   &lt;--+--&gt; SettingsBuilder --&gt; records of wheel, session, ...
 * </pre>
 */
@NullMarked
package io.heartwheel.config;

import org.jspecify.annotations.NullMarked;

/**
 * The configuration file, read once and turned into the validated records that live with their owners.
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

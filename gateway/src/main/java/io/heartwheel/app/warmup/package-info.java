/**
 * Warm-up: before the listeners open, devices of our own are served by a gateway of their own until the hot methods are compiled, so that the first real ones do
 * not wait for the compiler.
 *
 * <p>Floor 8, a part of app.
 *
 * <pre>
 *   WarmUp (time, rounds, stop) --&gt; Devices --- loopback, a secret token ---&gt; PrivateGateway
 *                                   say HELLO or upgrade, beat, send,         loops, wheel, registry, metrics and history
 *                                   leave or fall silent                      of its own: all of it is thrown away
 * </pre>
 */
@NullMarked
package io.heartwheel.app.warmup;

import org.jspecify.annotations.NullMarked;

/**
 * Directory of the device ids of a whole fleet, in front of the registry of this process.
 *
 * <p>Floor 3, part of {@code cluster}; the only part of it that knows sessions.
 *
 * <pre>
 *   claim:  registry of this process --&gt; row of the device, compare-and-set --&gt; its ack --&gt; granted, and a kick to who held it
 *   sweep:  own devices, so many a second --&gt; row: mine | missing: written again | a later epoch's: closed
 * </pre>
 */
@NullMarked
package io.heartwheel.cluster.directory;

import org.jspecify.annotations.NullMarked;

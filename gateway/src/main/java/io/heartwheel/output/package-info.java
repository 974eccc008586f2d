/**
 * Outputs of lines: a file that only grows, and standard output.
 *
 * <p>Floor 0: the JDK.
 *
 * <pre>
 *   whole lines --write--&gt; file | standard output       all of them, or an exception and none of them
 * </pre>
 */
@NullMarked
package io.heartwheel.output;

import org.jspecify.annotations.NullMarked;

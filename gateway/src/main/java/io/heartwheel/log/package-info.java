/**
 * The process's own log on standard error: its form, its levels, and its bounds.
 *
 * <p>Floor 4; the only package that sees Logback. Everybody else logs by SLF4J.
 *
 * <pre>
 *   logger --level?--&gt; BoundedAppender --too often?--&gt; ConsoleAppender --&gt; LineLayout: text or JSON --&gt; standard error
 *                           |
 *                           +-- LogCounts --&gt; metrics
 * </pre>
 */
@NullMarked
package io.heartwheel.log;

import org.jspecify.annotations.NullMarked;

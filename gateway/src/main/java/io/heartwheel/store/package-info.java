/**
 * Durable store of a gateway: numbered records, appended to a log of segments and read forward, and a view of who is present.
 *
 * <p>Floor 2: the JDK, slf4j, and SQLite for rows, which no other package may use.
 *
 * <pre>
 *   one writer --commit(records, changes of rows)--&gt; [ segments ] --next(after)--&gt; readers, each with a cursor of its own
 *                                                        |
 *                                                        +--&gt; keeper: rows in SQLite, cursors, drops the head that nobody needs
 * </pre>
 */
@NullMarked
package io.heartwheel.store;

import org.jspecify.annotations.NullMarked;

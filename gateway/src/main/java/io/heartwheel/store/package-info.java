/**
 * Durable stores of a gateway: a database for messages and what belongs to them; and the journal, numbered records, appended to a log of segments and read forward, and a view of who is present.
 *
 * <p>Floor 2, over {@code liveness}: slf4j, and SQLite for rows, which no other package may use. {@link io.heartwheel.store.Database} runs works of others, who know
 * {@code java.sql} and their own tables.
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

/**
 * Durable store of a gateway: numbered records, appended and read forward, and rows by key.
 *
 * <p>Floor 0: the JDK and SQLite, which no other package may use.
 *
 * <pre>
 *   one writer --commit(records, rows)--&gt; [ SQLite, WAL ] --next(after)--&gt; readers, each with a cursor of its own
 *                                              |
 *                                              +-- the head is dropped when nobody needs it
 * </pre>
 */
@NullMarked
package io.heartwheel.store;

import org.jspecify.annotations.NullMarked;

package io.heartwheel.auth;

import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Surroundings of all methods of authentication. Any thread.
 *
 * @param workers takes work that is too long for an event loop; throws {@link java.util.concurrent.RejectedExecutionException} when more waits than may
 * @param grants makes equal grants one object
 * @param nanoClock monotonic nanoseconds, that of {@link System#nanoTime} but in tests
 * @param wallMillis milliseconds since 1970
 */
public record AuthContext(Executor workers, Grants grants, LongSupplier nanoClock, LongSupplier wallMillis) {}

package io.heartwheel.admin;

import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.EngineException.Kind;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Changes of rows by compare-and-set: those of one row follow each other, those of many go side by side. A row that others write at the same time is read again.
 *
 * <p>One thread, on which all goes on and ends; {@link #attempt} any.
 */
final class RowChanges {
    static final int TRIES = 16;
    /** Rows that are read or written at once for one call. */
    private static final int AT_ONCE = 64;

    private static final CompletableFuture<Boolean> FREE = CompletableFuture.completedFuture(true);

    private final RowStore rows;
    private final Executor thread;
    private final BiConsumer<String, Row> seen;
    private final BiConsumer<String, Row> written;
    /** The latest change of a row that has not ended. */
    private final Map<String, CompletableFuture<?>> changing = new HashMap<>();

    /**
     * What is to become of a row.
     *
     * @param write null: it stays
     */
    record Step<T extends @Nullable Object>(@Nullable Row write, T value) {}

    /**
     * @param seen told of rows that stay as they are
     * @param written told of rows that were written
     */
    RowChanges(RowStore rows, Executor thread, BiConsumer<String, Row> seen, BiConsumer<String, Row> written) {
        this.rows = rows;
        this.thread = thread;
        this.seen = seen;
        this.written = written;
    }

    /** Whether a row is being changed from here, or what follows from it has not been done yet. */
    boolean isUnderWay(String key) {
        return changing.containsKey(key);
    }

    /** Changes a row as it is when nobody writes it in between. */
    <T extends @Nullable Object> CompletableFuture<T> change(String key, Function<Row, Step<T>> step) {
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<?> before = changing.put(key, result);
        (before == null ? FREE : before.handle((done, failure) -> true))
                .thenCompose(free -> attempt(key, step, TRIES))
                .whenCompleteAsync(
                        (value, failure) -> {
                            pass(value, failure, result);
                            thread.execute(() -> changing.remove(key, result)); // behind what follows from it
                        },
                        thread);
        return result;
    }

    static <T extends @Nullable Object> void pass(T value, @Nullable Throwable failure, CompletableFuture<T> to) {
        if (failure == null) {
            to.complete(value);
        } else {
            to.completeExceptionally(failure);
        }
    }

    /** The same, also while another change of the row is under way. */
    <T extends @Nullable Object> CompletionStage<T> attempt(String key, Function<Row, Step<T>> step, int tries) {
        byte[] id = key.getBytes(StandardCharsets.UTF_8);
        return rows.readLatest(id)
                .thenComposeAsync(
                        row -> {
                            Step<T> next = step.apply(row);
                            Row write = next.write;
                            if (write == null) {
                                seen.accept(key, row);
                                return CompletableFuture.completedFuture(next.value);
                            }
                            return rows.write(id, write, row.revision())
                                    .thenComposeAsync(
                                            done -> {
                                                if (done) {
                                                    written.accept(key, write);
                                                    return CompletableFuture.completedFuture(next.value);
                                                }
                                                return tries > 1 ? attempt(key, step, tries - 1) : contended();
                                            },
                                            thread);
                        },
                        thread);
    }

    private static <T extends @Nullable Object> CompletableFuture<T> contended() {
        return CompletableFuture.failedFuture(
                new EngineException(Kind.CONTENDED, "others write this row again and again"));
    }

    /** Reads many, some at once, up to the first that fails; without those of which there is nothing. */
    <T> CompletableFuture<List<T>> look(List<String> keys, BiFunction<String, Row, Optional<T>> what) {
        return each(keys, key -> change(key, row -> new Step<>(null, what.apply(key, row))));
    }

    /** The same for many, some at once, whatever becomes of the others; those of which it failed. */
    <A> CompletableFuture<List<A>> failed(List<A> of, Function<A, CompletableFuture<?>> one) {
        return each(of, each -> one.apply(each)
                .handle((done, failure) -> failure == null ? Optional.empty() : Optional.of(each)));
    }

    /** The same for many, some at once, up to the first that fails; without those of which there is nothing. */
    <A, T> CompletableFuture<List<T>> each(List<A> of, Function<A, CompletableFuture<Optional<T>>> one) {
        List<CompletableFuture<Optional<T>>> part =
                of.stream().limit(AT_ONCE).map(one).toList();
        return CompletableFuture.allOf(part.toArray(CompletableFuture[]::new))
                .thenComposeAsync(
                        done -> {
                            List<T> found = part.stream()
                                    .flatMap(each -> each.join().stream())
                                    .toList();
                            return of.size() <= AT_ONCE
                                    ? CompletableFuture.completedFuture(found)
                                    : each(of.subList(AT_ONCE, of.size()), one)
                                            .thenApply(behind -> Stream.concat(found.stream(), behind.stream())
                                                    .toList());
                        },
                        thread);
    }
}

package io.heartwheel.admin;

import io.heartwheel.auth.BrokenFile;
import io.heartwheel.auth.HashedToken;
import io.heartwheel.auth.WatchedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File of tokens that is read again when it changes, with a memory of those that were good. Whoever asks has it looked at, at most once a second, and waits for
 * that, but not for longer than {@value #WAIT_MILLIS} ms: a mount that hangs must stop neither the listener nor the end of the process. A file that will not do
 * is told once, and the former tokens stay.
 *
 * <p>Remembered is a hash, with a random key, of the token and the address that it came from, of at most {@value #MOST_REMEMBERED}; a change of the file forgets
 * all. It saves a SHA-256 for each line of the file, and lets a known caller pass while others guess from its address.
 *
 * <p>Any thread; all fields are guarded by this, but for what the one look under way has to itself.
 */
final class TokenFile {
    private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
    private static final int MOST_REMEMBERED = 1_024;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long WAIT_MILLIS = 1_000;

    private final Path file;
    private final WatchedFiles watched;
    private final byte[] key = new byte[HashedToken.SALT_BYTES];
    private final Reader reader;
    private AdminTokens tokens;
    private long lookedNanos;
    private @Nullable CompletableFuture<Optional<AdminTokens>> look;

    /** Reads such a file. */
    interface Reader {
        /** @throws BrokenFile if it will not do */
        AdminTokens read(Path file) throws BrokenFile;
    }

    private final Map<ByteBuffer, Caller> good = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Caller> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };

    /**
     * Reads it.
     *
     * @throws IOException naming the key and what is wrong
     */
    TokenFile(Path file, long nowNanos) throws IOException {
        this(file, nowNanos, AdminTokens::read);
    }

    TokenFile(Path file, long nowNanos, Reader reader) throws IOException {
        this.file = file;
        this.reader = reader;
        watched = new WatchedFiles(List.of(file));
        lookedNanos = nowNanos;
        new SecureRandom().nextBytes(key);
        tokens = read();
    }

    private AdminTokens read() throws IOException {
        try {
            return reader.read(file);
        } catch (BrokenFile bad) {
            throw new IOException("admin.tokens-file = " + file + ": " + bad.getMessage(), bad);
        }
    }

    /** Whose token this is, if it was good before from this address; null otherwise. */
    synchronized @Nullable Caller remembered(byte[] token, byte[] source, long nowNanos) {
        look(nowNanos);
        return good.get(memory(token, source));
    }

    /** Whose token this is, from now on remembered; null: nobody's. */
    synchronized @Nullable Caller find(byte[] token, byte[] source) {
        Caller found = tokens.find(token);
        if (found != null) {
            good.put(memory(token, source), found);
        }
        return found;
    }

    private ByteBuffer memory(byte[] token, byte[] source) {
        return ByteBuffer.wrap(HashedToken.digest(HashedToken.digest(key, source), token));
    }

    private void look(long nowNanos) {
        CompletableFuture<Optional<AdminTokens>> begun = look;
        if (begun == null && nowNanos - lookedNanos >= LOOK_NANOS) {
            lookedNanos = nowNanos;
            begun = CompletableFuture.supplyAsync(this::changed, TokenFile::inBackground);
            begun.copy()
                    .completeOnTimeout(Optional.empty(), WAIT_MILLIS, TimeUnit.MILLISECONDS)
                    .join();
        }
        if (begun == null || !begun.isDone()) {
            look = begun;
            return;
        }
        look = null;
        begun.join().ifPresent(fresh -> {
            tokens = fresh;
            good.clear();
            LOG.info("admin.tokens-file = {}: read again, {} tokens", file, fresh.size());
        });
    }

    private static void inBackground(Runnable task) {
        Thread thread = new Thread(task, "admin-tokens");
        thread.setDaemon(true);
        thread.start();
    }

    /** What it holds now; empty: the same, or what will not do. */
    private Optional<AdminTokens> changed() {
        try {
            return watched.change() ? Optional.of(read()) : Optional.empty();
        } catch (IOException bad) {
            LOG.warn("{}; the former tokens stay in use", bad.getMessage());
            return Optional.empty();
        }
    }
}

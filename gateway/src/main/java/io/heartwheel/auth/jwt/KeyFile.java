package io.heartwheel.auth.jwt;

import io.heartwheel.auth.WatchedFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keys of a file. It is read at the start and when it has changed; if it is bad then, the earlier keys stay. Any thread; one at a time refreshes. */
final class KeyFile implements KeySource {
    private static final Logger LOG = LoggerFactory.getLogger(KeyFile.class);

    /** Meaning of the content. */
    private interface Reader {
        KeySet read(byte[] content, Consumer<String> ignored) throws IOException;
    }

    /** Keys in force, and since when. */
    private record Loaded(KeySet keys, long atNanos) {}

    private final String key;
    private final Path file;
    private final Reader reader;
    private final LongSupplier nanoClock;
    private final WatchedFiles watched;
    private volatile @Nullable Loaded loaded;

    private KeyFile(String key, Path file, Reader reader, LongSupplier nanoClock) {
        this.key = key;
        this.file = file;
        this.reader = reader;
        this.nanoClock = nanoClock;
        watched = new WatchedFiles(List.of(file));
    }

    /** A JWKS that was not read yet. */
    static KeyFile keys(Path file, Set<JwtAlgorithm> algorithms, LongSupplier nanoClock) {
        return new KeyFile("keys-file", file, new JwksReader(algorithms)::read, nanoClock);
    }

    /** Secrets that were not read yet. */
    static KeyFile secrets(Path file, LongSupplier nanoClock) {
        return new KeyFile("secret-file", file, (content, ignored) -> SecretsReader.read(content), nanoClock);
    }

    /** Reads it for the first time. */
    KeyFile open() throws IOException {
        Optional<String> problem = load();
        if (problem.isPresent()) {
            throw new IOException("auth.jwt." + key + " = " + file + ": " + problem.get());
        }
        return this;
    }

    /** Reads it; says what is wrong with it. */
    Optional<String> load() {
        try (InputStream in = Files.newInputStream(file)) {
            StringBuilder notes = new StringBuilder();
            KeySet read = reader.read(
                    in.readNBytes(JwksReader.MOST_BYTES + 1),
                    note -> notes.append(notes.isEmpty() ? "" : "; ").append(note));
            Loaded before = loaded;
            boolean changed = before == null || !before.keys.hasKeysOf(read);
            if (changed && !notes.isEmpty()) {
                LOG.warn("auth.jwt.{} = {}: not used: {}", key, file, notes);
            }
            if (changed && before != null) {
                LOG.info("auth.jwt.{} = {}: {} keys in force", key, file, read.size());
            }
            loaded = new Loaded(before == null || changed ? read : before.keys, nanoClock.getAsLong());
            return Optional.empty();
        } catch (FileSystemException unreadable) {
            return Optional.of("cannot be read (" + unreadable.getClass().getSimpleName() + ")");
        } catch (IOException bad) {
            return Optional.of(String.valueOf(bad.getMessage()));
        }
    }

    @Override
    public @Nullable KeySet inForce() {
        Loaded now = loaded;
        return now == null ? null : now.keys;
    }

    @Override
    public Missing missing(@Nullable String kid, long deadlineNanos, Waiter waiter) {
        return Missing.NO_SUCH_KEY;
    }

    @Override
    public List<String> refresh() {
        return watched.refresh(this::problems);
    }

    @Override
    public List<String> reload() {
        return watched.reload(this::problems);
    }

    private List<String> problems() {
        return load().map(problem -> "auth.jwt." + key + " = " + file + ": " + problem).stream()
                .toList();
    }

    @Override
    public JwkStatus status() {
        Loaded now = loaded;
        return now == null ? JwkStatus.NONE : new JwkStatus(now.keys.size(), nanoClock.getAsLong() - now.atNanos, 0, 0);
    }
}

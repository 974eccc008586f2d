package io.heartwheel.admin;

import io.heartwheel.auth.BrokenFile;
import io.heartwheel.auth.HashedToken;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of the operators, as a file has them: no token, only its hash.
 *
 * <pre>
 *   # NAME  SCOPES             HASH                     a second hash: the token that follows, or the one before
 *   ops     read,send,operate  sha256:SALT:DIGEST
 *   ci      read,send          sha256:SALT:DIGEST       sha256:SALT:DIGEST
 * </pre>
 *
 * Immutable; any thread.
 */
public final class AdminTokens {
    /** Form of a name. */
    public static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    /** What is needed of one, for errors. */
    public static final String NEED_NAME = "need a name of 1..64 characters of [A-Za-z0-9._-]";
    /** What is needed of scopes, for errors. */
    public static final String NEED_SCOPES = "need some of read, send, operate with commas between";

    static final int MOST_LINES = 1_000;

    private static final int MOST_BYTES = 1 << 20;
    private static final int HASHES = 2;
    private static final int MOST_PROBLEMS = 10;
    private static final Pattern BLANKS = Pattern.compile("[ \\t]+");

    /** One line. */
    private record Line(Caller caller, List<HashedToken> hashes) {}

    private final List<Line> lines;

    private AdminTokens(List<Line> lines) {
        this.lines = List.copyOf(lines);
    }

    /**
     * Reads a file.
     *
     * @throws BrokenFile if it cannot be read, or is no such file: at most ten problems, each with its line, none with a hash
     */
    public static AdminTokens read(Path file) throws BrokenFile {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new BrokenFile(List.of("need at most 1 MiB"));
            }
            return parse(new String(bytes, StandardCharsets.UTF_8));
        } catch (BrokenFile bad) {
            throw bad;
        } catch (IOException unreadable) {
            throw new BrokenFile(List.of("need a file that can be read"));
        }
    }

    /** Reads lines. */
    static AdminTokens parse(String text) throws BrokenFile {
        List<String> problems = new ArrayList<>();
        List<Line> lines = new ArrayList<>();
        Set<String> names = new HashSet<>();
        int number = 0;
        for (String raw : text.split("\\r?\\n", -1)) {
            number++;
            String line = raw.strip();
            if (line.isEmpty() || line.startsWith("#") || problems.size() == MOST_PROBLEMS) {
                continue;
            }
            try {
                Line read = line(line);
                if (!names.add(read.caller().name())) {
                    throw new IllegalArgumentException("need each name once");
                }
                lines.add(read);
            } catch (IllegalArgumentException wrong) {
                problems.add("line " + number + ": " + wrong.getMessage());
            }
        }
        if (lines.size() > MOST_LINES) {
            problems.add("need at most " + MOST_LINES + " tokens");
        } else if (lines.isEmpty() && problems.isEmpty()) {
            problems.add("need at least one line NAME SCOPES HASH");
        }
        if (!problems.isEmpty()) {
            throw new BrokenFile(problems);
        }
        return new AdminTokens(lines);
    }

    private static Line line(String line) {
        String[] words = BLANKS.split(line);
        if (words.length < 3 || words.length > 2 + HASHES) {
            throw new IllegalArgumentException("need NAME SCOPES HASH, or a second HASH behind it");
        }
        if (!NAME.matcher(words[0]).matches()) {
            throw new IllegalArgumentException(NEED_NAME);
        }
        List<HashedToken> hashes =
                Arrays.stream(words).skip(2).map(HashedToken::parse).toList();
        return new Line(new Caller("token/" + words[0], scopes(words[1])), hashes);
    }

    private static Set<Scope> scopes(String word) {
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        for (String label : word.split(",", -1)) {
            scopes.add(Scope.ofLabel(label).orElseThrow(() -> new IllegalArgumentException(NEED_SCOPES)));
        }
        return scopes;
    }

    /** Whose token this is; null: nobody's. Looks at all lines, so that the time tells nothing: about 0.5 us each. */
    @Nullable
    Caller find(byte[] token) {
        Caller found = null;
        for (Line line : lines) {
            for (HashedToken hash : line.hashes()) {
                if (hash.matches(token)) {
                    found = line.caller();
                }
            }
        }
        return found;
    }

    /** How many there are. */
    int size() {
        return lines.size();
    }
}

package io.heartwheel.app;

import io.heartwheel.admin.AdminTokens;
import io.heartwheel.admin.Scope;
import io.heartwheel.auth.HashedToken;
import io.heartwheel.auth.tokens.TokenLine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Command {@code token}: makes tokens and their hashes, for {@code auth.tokens.file} and {@code admin.tokens-file}. A token that is given comes from standard
 * input alone: arguments are seen by every user of the machine.
 */
@Command(
        name = "token",
        description = {"Make tokens for devices or operators, and the hashes that the gateway keeps of them.", ""},
        mixinStandardHelpOptions = true,
        exitCodeList = {"0:made", "1:a file cannot be read or written", "2:wrong command line"},
        footer = {
            "",
            "Without options: a random token of 192 bits, and its hash. The token goes to the device or the operator and is kept nowhere; the hash stands in "
                    + "the file that auth.tokens.file or admin.tokens-file names."
        })
final class TokenCommand implements Callable<Integer> {
    private static final int STATUS_FAILED = 1;
    private static final int LEAST_TOKEN = 8;
    private static final int LEAST_SAFE_TOKEN = 16;
    private static final int MOST_TOKEN = 4_096;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--device",
            paramLabel = "ID",
            description = "Make a whole line for this device. The id * stands for every device without a line.")
    private @Nullable String device;

    @Option(
            names = "--devices",
            paramLabel = "FILE",
            description =
                    "Make a token for each device id in this file, one a line; - for standard input. Needs --out; standard output gets ID and TOKEN, one device a line.")
    private @Nullable String devices;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Where --devices puts the lines with the hashes: a file that does not exist yet.")
    private @Nullable Path out;

    @Option(names = "--stdin", description = "Hash a token of 8..4096 bytes, the first line of standard input.")
    private boolean stdin;

    @Option(names = "--admin", paramLabel = "NAME", description = "Make a line for this operator. Needs --scopes.")
    private @Nullable String admin;

    @Option(names = "--scopes", paramLabel = "read,send,operate", split = ",", description = "What --admin may do.")
    private List<String> scopes = List.of();

    private final InputStream input;

    TokenCommand(InputStream input) {
        this.input = input;
    }

    @Override
    public Integer call() {
        check();
        try {
            if (devices != null && out != null) {
                makeMany(devices, out);
            } else {
                makeOne();
            }
            return CommandLine.ExitCode.OK;
        } catch (FileAlreadyExistsException there) {
            return failed(out + " exists: need a new file, whose lines you then add to the one in use");
        } catch (IOException failure) {
            return failed(failure.getMessage() == null ? failure.toString() : failure.getMessage());
        }
    }

    private void check() {
        require(device == null || devices == null, "--device, --devices: need one of them");
        require(admin == null || (device == null && devices == null), "--admin: need it without --device, --devices");
        require((devices == null) == (out == null), "--devices, --out: need both of them");
        require(!stdin || devices == null, "--stdin: need it without --devices");
        require((admin == null) == scopes.isEmpty(), "--admin, --scopes: need both of them");
        require(
                scopes.stream().allMatch(scope -> Scope.ofLabel(scope).isPresent()),
                "--scopes: " + AdminTokens.NEED_SCOPES);
        require(admin == null || AdminTokens.NAME.matcher(admin).matches(), "--admin: " + AdminTokens.NEED_NAME);
    }

    private void require(boolean good, String need) {
        if (!good) {
            throw new ParameterException(spec.commandLine(), need);
        }
    }

    // ------------------------------------------------------------------ one token

    private void makeOne() throws IOException {
        String start = start();
        String token = HashedToken.random();
        byte[] bytes = stdin ? given() : token.getBytes(StandardCharsets.US_ASCII);
        HashedToken hash = HashedToken.of(bytes);
        if (!stdin) {
            out().println("token  " + token);
        } else if (bytes.length < LEAST_SAFE_TOKEN) {
            err().println("heartwheel-gateway: a token of " + bytes.length
                    + " bytes can be guessed from its hash: better take a random one");
        }
        out().println((start.isEmpty() ? "hash   " : "line   " + start + " ") + hash);
        out().flush();
    }

    /** What stands before the hash. */
    private String start() {
        if (admin != null) {
            return admin + " " + String.join(",", scopes);
        }
        return device == null ? "" : device.equals("*") ? device : written("--device", device);
    }

    private String written(String what, String id) {
        try {
            return TokenLine.written(id);
        } catch (IllegalArgumentException bad) {
            throw new ParameterException(spec.commandLine(), what + ": " + bad.getMessage());
        }
    }

    private byte[] given() throws IOException {
        byte[] start = input.readNBytes(MOST_TOKEN + 1);
        int end = 0;
        while (end < start.length && start[end] != '\n' && start[end] != '\r') {
            end++;
        }
        require(
                end >= LEAST_TOKEN && end <= MOST_TOKEN,
                "--stdin: need a token of " + LEAST_TOKEN + ".." + MOST_TOKEN + " bytes in the first line");
        return Arrays.copyOf(start, end);
    }

    // ------------------------------------------------------------------ many

    private void makeMany(String from, Path to) throws IOException {
        long number = 0;
        try (InputStream in = from.equals("-") ? input : Files.newInputStream(Path.of(from));
                BufferedReader ids = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
                Writer lines = Files.newBufferedWriter(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            Set<String> seen = new HashSet<>();
            for (String id = ids.readLine(); id != null; id = ids.readLine()) {
                number++;
                if (!id.isBlank()) {
                    String where = String.format(Locale.ROOT, "--devices: line %d", number);
                    String written = written(where, id.strip());
                    require(seen.add(written), where + ": device " + written + " stands twice");
                    String token = HashedToken.random();
                    lines.write(written + " " + HashedToken.of(token.getBytes(StandardCharsets.US_ASCII)) + "\n");
                    out().println(written + " " + token);
                }
            }
        } finally {
            out().flush();
        }
    }

    private int failed(String why) {
        err().println("heartwheel-gateway: " + why);
        return STATUS_FAILED;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}

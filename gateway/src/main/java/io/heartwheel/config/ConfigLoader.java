package io.heartwheel.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Loader of the configuration: the operator's file over the built-in defaults, the files of {@code conf.d} beside it over that, variables of the environment
 * over the files, system properties over all. The built-in defaults are {@code conf/gateway.conf}, packed into the jar as it stands.
 *
 * <p>Everything that is wrong is told at once; nothing is used unless everything is right. Any thread; reads files, so not an event loop.
 */
public final class ConfigLoader {
    private static final String DEFAULTS = "gateway.conf";
    /** The directory of an operator's own files, beside the one that came with the package. */
    private static final String DROP_INS = "conf.d";
    /** Far more than anybody writes; what is included by it is not counted. */
    private static final long MOST_BYTES = 1 << 20;

    private ConfigLoader() {}

    /**
     * Reads the configuration, without a look into the files that {@link #check} looks into.
     *
     * @param file the operator's file; null: the built-in defaults alone
     * @param properties as system properties; those that do not begin with {@code heartwheel.} are left alone
     * @param environment as variables; those that do not begin with {@code CONFIG_FORCE_heartwheel_} are left alone
     * @throws ConfigException with everything that is wrong
     */
    public static LoadedConfig read(
            @Nullable Path file, Map<String, String> properties, Map<String, String> environment)
            throws ConfigException {
        return read(file, properties, environment, false);
    }

    /**
     * The same, and looks into the certificates, keys and authorities of listeners with TLS and into lists of tokens and of revoked certificates, which
     * otherwise are only seen to be there until a listener or a method opens, and for the files of outlets, which otherwise nobody looks for until an outlet
     * opens. Loads BoringSSL where a listener would.
     *
     * @throws ConfigException with everything that is wrong
     */
    public static LoadedConfig check(
            @Nullable Path file, Map<String, String> properties, Map<String, String> environment)
            throws ConfigException {
        return read(file, properties, environment, true);
    }

    private static LoadedConfig read(
            @Nullable Path file, Map<String, String> properties, Map<String, String> environment, boolean looks)
            throws ConfigException {
        ConfigMistakes problems = new ConfigMistakes();
        FlatConfig leaves = new FlatConfig(below(defaults()), problems);
        List<Path> files = file == null ? List.of() : files(file);
        if (file != null) {
            leaves.addFile(parse(files).root());
        }
        leaves.addOverrides(Overrides.of(properties, environment));
        Block root = Block.checked(leaves, problems);
        Rules rules = new Rules(root, looks);
        rules.check(leaves.names(FlatConfig.LISTENERS));
        new OutletRules(root, looks).check(leaves.names(FlatConfig.OUTLETS));
        ClusterRules.check(root, looks);
        problems.throwIfAny();
        try {
            AuthRules auth = rules.auth();
            return new LoadedConfig(
                    new SettingsBuilder(root, auth.token(), auth.methods()).build(null), leaves.values(), files);
        } catch (IllegalArgumentException e) {
            // a record is stricter than the table; its message is as good as ours but for the line
            throw new ConfigException(List.of(ConfigMistakes.ROOT + "." + e.getMessage()));
        }
    }

    /** The reference configuration, its lines as in {@code conf/gateway.conf}. */
    static Config defaults() {
        return ConfigFactory.parseResources(
                ConfigLoader.class,
                DEFAULTS,
                ConfigParseOptions.defaults().setAllowMissing(false).setOriginDescription(ConfigMistakes.DEFAULT));
    }

    private static ConfigObject below(Config config) {
        return config.getObject(ConfigMistakes.ROOT);
    }

    /** The files as if each were included behind the one before; substitutions see all of them and the environment. */
    private static Config parse(List<Path> files) throws ConfigException {
        Config all = ConfigFactory.empty();
        for (Path each : files) {
            all = parseAlone(each).withFallback(all);
        }
        return attempt(files.get(0), all::resolve);
    }

    /**
     * This file and its {@link #dropIns}, in the order in which they are read.
     *
     * @throws ConfigException if {@code conf.d} cannot be looked into
     */
    public static List<Path> files(Path file) throws ConfigException {
        return Stream.concat(Stream.of(file), dropIns(file).stream()).toList();
    }

    /**
     * The files that are read after this one, the last of which has the last word: {@code conf.d/*.conf} beside it, in the order of their names. None
     * without that directory.
     *
     * @throws ConfigException if it cannot be looked into
     */
    static List<Path> dropIns(Path file) throws ConfigException {
        Path directory = file.resolveSibling(DROP_INS);
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(each -> each.toString().endsWith(".conf"))
                    .filter(each -> !String.valueOf(each.getFileName()).startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException | UncheckedIOException e) {
            throw new ConfigException(List.of(directory + ": need a directory that can be read; user "
                    + System.getProperty("user.name") + " may not read it"));
        }
    }

    private static Config parseAlone(Path file) throws ConfigException {
        Optional<String> need = ReadableFile.need(file);
        if (need.isPresent()) {
            throw new ConfigException(List.of(file + ": " + need.get()));
        }
        if (file.toFile().length() > MOST_BYTES) {
            throw new ConfigException(List.of(file + ": need a file of at most 1MiB"));
        }
        ConfigParseOptions options = ConfigParseOptions.defaults()
                .setSyntax(ConfigSyntax.CONF)
                .setIncluder(new RequiredIncludes())
                .setAllowMissing(false);
        return attempt(file, () -> ConfigFactory.parseFile(file.toFile(), options));
    }

    private static Config attempt(Path file, Supplier<Config> step) throws ConfigException {
        try {
            return step.get();
        } catch (RequiredIncludes.Missing e) {
            throw new ConfigException(List.of(file + ": " + e.getMessage()));
        } catch (com.typesafe.config.ConfigException e) {
            throw new ConfigException(List.of(syntaxProblem(file, e)));
        } catch (StackOverflowError tooDeep) {
            // the parser calls itself for each level
            throw new ConfigException(List.of(file + ": need blocks and lists that are not nested by the thousand"));
        }
    }

    /** What the parser says, unless it may be quoting a secret. */
    private static String syntaxProblem(Path file, com.typesafe.config.ConfigException e) {
        var origin = e.origin();
        String where = origin == null ? String.valueOf(file.getFileName()) : ConfigMistakes.where(origin);
        String said = String.valueOf(e.getMessage());
        String what = origin != null && said.startsWith(origin.description() + ": ")
                ? said.substring(origin.description().length() + 2)
                : said;
        boolean secret = origin == null || nearToken(fileOf(origin, file), origin.lineNumber());
        return where + ": " + (secret ? "cannot be read as HOCON (details withheld: a token may be near)" : what);
    }

    private static Path fileOf(ConfigOrigin origin, Path file) {
        String included = origin.filename();
        return included == null ? file : Path.of(included);
    }

    private static boolean nearToken(Path file, int line) {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            return lines.skip(Math.max(0, line - 3)).limit(4).anyMatch(text -> text.matches("(?i)[^#]*token.*"));
        } catch (IOException | UncheckedIOException e) {
            return true;
        }
    }
}

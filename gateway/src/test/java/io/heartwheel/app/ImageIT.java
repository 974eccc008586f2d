package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthSettings.Mode;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.GatewaySettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The image's files, beside what they repeat: of the jar its modules and native libraries, of the configuration its ports, of the package Java's options. */
@Execution(ExecutionMode.CONCURRENT)
class ImageIT {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Path JAR = Path.of(System.getProperty("heartwheel.gateway.jar", ""));
    private static final Path IMAGE = PROJECT.resolve("gateway/image");
    private static final Dockerfile DOCKERFILE = new Dockerfile(IMAGE.resolve("Dockerfile"));
    /** Classes of Java, by their names: without others among them jdeps takes half as long. */
    private static final String OF_JAVA = "(javax?|jdk|(com[.])?sun|netscape|org[.](ietf|w3c|xml))[.].*";
    /** By which an orchestrator's patience exceeds the drain: drain.md. */
    private static final Duration AFTER_DRAIN = Duration.ofSeconds(10);

    @Test
    void java_ofTheImage_hasTheModulesOfTheJar() {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        int status = ToolProvider.findFirst("jdeps")
                .orElseThrow()
                .run(out, out, "-summary", "--multi-release", "17", "-e", OF_JAVA, JAR.toString());
        assertEquals(0, status, said::toString);
        Set<String> used = said.toString()
                .lines()
                .map(line -> line.replaceFirst(".* -> ", ""))
                .filter(module -> module.matches("[a-z.]+"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertTrue(used.contains("java.base"), said::toString);
        // JavaBeans: Jackson and the configuration ask whether it is there
        used.remove("java.desktop");

        Set<String> roots =
                Set.of(DOCKERFILE.word("RUN jlink", "--add-modules (\\S+)").split(","));
        used.removeAll(
                Configuration.empty().resolve(ModuleFinder.ofSystem(), ModuleFinder.of(), roots).modules().stream()
                        .map(module -> module.name())
                        .collect(Collectors.toSet()));
        assertEquals(Set.of(), used);
    }

    /** What is not there would be unpacked into /tmp, which does not allow execution in a container. */
    @Test
    void java_ofTheImage_hasTheNativeLibrariesOfTheJar() throws Exception {
        List<String> unpacked = List.of(DOCKERFILE
                .word("RUN cd /tmp && jar xf", "heartwheel-gateway.jar (.+?) && ")
                .split(" "));
        try (JarFile jar = new JarFile(JAR.toFile())) {
            Set<String> directories = jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.endsWith(".so") && !name.contains("Musl"))
                    .map(name -> name.replaceFirst("(/(aarch64|x86_64))?/[^/]*$", ""))
                    .collect(Collectors.toSet());
            assertEquals(Set.copyOf(unpacked), directories);
        }
    }

    /** The launcher is the package's own, and the options beside it are those of its service. */
    @Test
    void java_ofTheImage_isGivenWhatThePackageGives() throws Exception {
        assertEquals("[\"/usr/bin/heartwheel-gateway\"]", DOCKERFILE.last("ENTRYPOINT"));
        String service = Files.readString(PROJECT.resolve("systemd/heartwheel.service"));
        assertEquals(
                options(Dockerfile.find(service, "\"JAVA_OPTS=([^\"]*)\"")),
                options(DOCKERFILE.word("ENV", "JAVA_OPTS=\"([^\"]*)\"")));
    }

    private static List<String> options(String all) {
        return Stream.of(all.split(" "))
                .filter(option -> !option.contains("ErrorFile"))
                .toList();
    }

    /** The context holds what is copied, and nothing else is sent. */
    @Test
    void context_files_areThoseThatAreCopied() throws Exception {
        Set<String> copied = DOCKERFILE
                .all("COPY")
                .filter(argument -> !argument.startsWith("--from="))
                .map(argument -> argument.substring(0, argument.lastIndexOf(' ')))
                .flatMap(Pattern.compile(" ")::splitAsStream)
                .collect(Collectors.toSet());
        Set<String> sent = Files.readAllLines(PROJECT.resolve(".dockerignore")).stream()
                .filter(line -> line.startsWith("!"))
                .map(line -> line.substring(1))
                .collect(Collectors.toSet());
        assertEquals(sent, copied);
        for (String file : copied) {
            assertTrue(Files.isRegularFile(PROJECT.resolve(file)), file);
        }
    }

    /** Settings of the image with this environment. */
    private static GatewaySettings settings(Map<String, String> environment) throws Exception {
        return ConfigLoader.check(PROJECT.resolve("gateway/image/gateway.conf"), Map.of(), environment)
                .settings();
    }

    private static String monitor(GatewaySettings settings) {
        return Integer.toString(settings.admin().monitor().bind().port());
    }

    private static Map<String, String> environment(String text, String pattern) {
        return Pattern.compile("(CONFIG_FORCE_heartwheel_\\w+)" + pattern)
                .matcher(text)
                .results()
                .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2)));
    }

    private static Set<String> all(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    private static Duration seconds(String text, String pattern) {
        return Duration.ofSeconds(Long.parseLong(Dockerfile.find(text, pattern)));
    }

    @Test
    void ports_ofTheImage_areThoseOfItsConfiguration() throws Exception {
        GatewaySettings settings = settings(Map.of());
        Set<String> ports = settings.listeners().stream()
                .map(listener -> Integer.toString(listener.bind().port()))
                .collect(Collectors.toSet());
        ports.add(Integer.toString(settings.admin().bind().port()));
        ports.add(monitor(settings));

        assertTrue(settings.admin().monitor().enabled());
        assertEquals(ports, Set.of(DOCKERFILE.last("EXPOSE").split(" ")));
        String probe = Files.readString(IMAGE.resolve("heartwheel-healthy"));
        assertEquals(monitor(settings), Dockerfile.find(probe, "/dev/tcp/127.0.0.1/\\$\\{2:-(\\d+)}"));
    }

    @Test
    void compose_gateway_isConfiguredAsItIsRun() throws Exception {
        String compose = Files.readString(IMAGE.resolve("compose.yaml"));
        GatewaySettings settings = settings(environment(compose, ": (?:\\$\\{.*\\?)?([^}\n]*)"));

        assertEquals(Mode.SHARED_TOKEN, settings.auth().mode());
        assertTrue(Set.of(DOCKERFILE.last("EXPOSE").split(" ")).containsAll(all(compose, "\"(70\\d\\d):\\1\"")));
        assertTrue(seconds(compose, "stop_grace_period: (\\d+)s")
                        .compareTo(settings.drain().drain().plus(AFTER_DRAIN))
                >= 0);
        int descriptors = Integer.parseInt(Dockerfile.find(compose, "nofile: (\\d+)"));
        assertTrue(descriptors > settings.transport().maxConnections());
        for (String mounted : all(compose, "- (\\.[^:]*):")) {
            assertTrue(Files.isRegularFile(IMAGE.resolve(mounted)), mounted);
        }
        String target = Dockerfile.find(Files.readString(IMAGE.resolve("prometheus.yml")), "targets: \\[\"(.*)\"]");
        assertEquals(settings.admin().hosts().get(0) + ":" + monitor(settings), target);
    }

    @Test
    void kubernetes_pod_isConfiguredAsItIsRun(@TempDir Path directory) throws Exception {
        String page = Files.readString(PROJECT.resolve("gateway/docs/container.md"));
        String pod = Dockerfile.find(page, "(?s)```yaml\n(.*?)```");
        Map<String, String> environment = environment(pod, ", value: \"?([^\"}]*?)\"? }");
        String salted = "sha256:" + "ab".repeat(16) + ":" + "cd".repeat(32);
        Path devices = Files.writeString(directory.resolve("devices"), "* " + salted + "\n");
        String mount = Dockerfile.find(pod, "mountPath: (/etc/heartwheel/tokens),");
        environment.replaceAll((key, value) -> value.replace(mount + "/devices", devices.toString()));
        GatewaySettings settings = settings(environment);

        assertEquals(Mode.METHODS, settings.auth().mode());
        Set<String> ports = all(pod, "containerPort: (\\d+)");
        assertTrue(Set.of(DOCKERFILE.last("EXPOSE").split(" ")).containsAll(ports), ports::toString);
        assertEquals(monitor(settings), Dockerfile.find(pod, "name: monitor, containerPort: (\\d+)"));
        assertEquals("/healthz", Dockerfile.find(pod, "livenessProbe:\\s+httpGet: \\{ path: (\\S+), port: monitor }"));
        assertEquals("/readyz", Dockerfile.find(pod, "readinessProbe:\\s+httpGet: \\{ path: (\\S+), port: monitor }"));
        Duration stop = settings.drain().order(false).whole();
        assertTrue(seconds(pod, "terminationGracePeriodSeconds: (\\d+)").compareTo(stop.plus(AFTER_DRAIN)) >= 0);
    }
}

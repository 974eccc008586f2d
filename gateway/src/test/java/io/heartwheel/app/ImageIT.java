package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.transport.ListenerSettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The image's files, beside what they repeat: of the jar its modules and native libraries, of the configuration its ports, of the package Java's options. */
@Execution(ExecutionMode.CONCURRENT)
class ImageIT {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Path JAR = Path.of(System.getProperty("heartwheel.gateway.jar", ""));
    private static final Dockerfile DOCKERFILE = new Dockerfile(PROJECT.resolve("gateway/image/Dockerfile"));

    @Test
    void java_ofTheImage_hasTheModulesOfTheJar() {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        int status = ToolProvider.findFirst("jdeps")
                .orElseThrow()
                .run(out, out, "-summary", "--multi-release", "17", JAR.toString());
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

    @Test
    void ports_ofTheImage_areThoseOfItsConfiguration() throws Exception {
        GatewaySettings settings = ConfigLoader.check(PROJECT.resolve("gateway/image/gateway.conf"), Map.of(), Map.of())
                .settings();
        Set<String> ports = new TreeSet<>();
        for (ListenerSettings listener : settings.listeners()) {
            ports.add(Integer.toString(listener.bind().port()));
        }
        String probed = Integer.toString(settings.admin().bind().port());
        ports.add(probed);
        assertEquals(ports, Set.of(DOCKERFILE.last("EXPOSE").split(" ")));
        String probe = Files.readString(PROJECT.resolve("gateway/image/heartwheel-healthy"));
        assertEquals(probed, Dockerfile.find(probe, "/dev/tcp/127.0.0.1/\\$\\{2:-(\\d+)}"));
    }
}

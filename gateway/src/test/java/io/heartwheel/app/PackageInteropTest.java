package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Debian package and the archive, in the hands of dpkg, lintian, shellcheck and tar. Root only. */
@Tag("interop")
class PackageInteropTest {
    private static final Path TARGET = Path.of(System.getProperty("heartwheel.gateway.jar", ""))
            .toAbsolutePath()
            .normalize()
            .getParent();
    private static final String CONFIG = "/etc/heartwheel/gateway.conf";

    @TempDir
    Path scratch;

    private static Path built(String name) throws IOException {
        try (Stream<Path> files = Files.list(TARGET)) {
            List<Path> found = files.filter(
                            file -> file.getFileName().toString().matches(name))
                    .toList();
            assertEquals(1, found.size(), () -> name + " in " + TARGET + ": need one, not " + found);
            return found.get(0);
        }
    }

    private static Path deb() throws IOException {
        return built("heartwheel_[0-9].*_all\\.deb");
    }

    @Test
    void lintian_package_findsNothing() throws Exception {
        Command.Outcome outcome =
                Command.run("lintian", "--fail-on", "error,warning", "--tag-display-limit", "0", deb().toString());

        assertTrue(outcome.output().lines().noneMatch(line -> line.matches("[EW]: .*")), outcome.output());
        assertEquals(0, outcome.exit(), outcome.output());
    }

    private static void build(Path tree, Path deb) throws Exception {
        Command.good("dpkg-deb", "-Zgzip", "-z1", "--root-owner-group", "--build", tree.toString(), deb.toString());
    }

    @Test
    void shellcheck_everyScript_findsNothing() throws Exception {
        String scripts = "systemd/bin/heartwheel-class-archive systemd/bin/heartwheel-gateway .ci/package-tree"
                + " systemd/bin/heartwheel-rolling-restart systemd/deb/control/postinst systemd/deb/control/prerm"
                + " systemd/deb/control/postrm";
        for (String script : scripts.split(" ")) {
            assertEquals("", Command.good("shellcheck", "--shell=sh", "../" + script));
        }
        assertEquals("", Command.good("shellcheck", "--shell=bash", "image/heartwheel-healthy"));
    }

    @Test
    void life_installChangeReinstallRemovePurge_leavesNothing() throws Exception {
        try (TestRoot root = new TestRoot()) {
            root.good("dpkg", "--install", handedTo(root));

            assertEquals("installed", root.good("dpkg-query", "-f", "${db:Status-Status}", "-W", "heartwheel"));
            assertInstalled(root);
            assertRuns(root);

            Files.writeString(root.at(CONFIG), "\nheartwheel.heartbeat.interval = 30s\n", StandardOpenOption.APPEND);
            root.good("dpkg", "--install", handedTo(root));
            assertTrue(Files.readString(root.at(CONFIG)).contains("interval = 30s"), "what an operator wrote is kept");
            assertEquals("640 root:heartwheel", stat(root, CONFIG));

            String link =
                    "ln -s /usr/lib/systemd/system/heartwheel.service /etc/systemd/system/multi-user.target.wants/";
            root.good(link.split(" "));
            root.good("dpkg", "--remove", "heartwheel");
            assertFalse(Files.exists(root.at("/usr/lib/heartwheel")));
            assertTrue(Files.readString(root.at(CONFIG)).contains("interval = 30s"));
            assertTrue(Files.isDirectory(root.at("/var/lib/heartwheel")));

            root.good("dpkg", "--purge", "heartwheel");
            // the machine's own, which .ci/install leaves in /usr/local, are no files of a package
            String find = "find /etc /usr /var /run -xdev -path /usr/share/doc/*-perl -prune -o -path /usr/local -prune"
                    + " -o -name *heartwheel* -print";
            assertEquals("", root.good(find.split(" ")));
            assertEquals(2, root.run("getent", "passwd", "heartwheel").exit());
            assertEquals(2, root.run("getent", "group", "heartwheel").exit());
        }
    }

    @Test
    void purge_withFilesOfTheAdministrator_leavesThemToRootAlone() throws Exception {
        try (TestRoot root = new TestRoot()) {
            root.good("dpkg", "--install", handedTo(root));
            root.good("install", "-d", "-m", "0750", "-g", "heartwheel", "/etc/heartwheel/tls");
            String key = "/etc/heartwheel/tls/gateway.key";
            String own = "/etc/heartwheel/token";
            Files.writeString(root.at(key), "a key");
            Files.writeString(root.at(own), "a token");
            root.good("chown", "root:heartwheel", key);
            root.good("chmod", "640", key);
            root.good("chown", "heartwheel:heartwheel", own);
            // as at every boot and upgrade
            root.good("systemd-tmpfiles", "--create", "/usr/lib/tmpfiles.d/heartwheel.conf");
            assertEquals("750 root:heartwheel", stat(root, "/etc/heartwheel/tls"));
            assertEquals("640 root:heartwheel", stat(root, own));
            assertEquals("a key", root.good(as("heartwheel", "cat", key)).strip());
            root.good("chown", "heartwheel:heartwheel", own);
            Files.writeString(root.at("/var/lib/heartwheel/events.jsonl"), "{}\n");

            root.good("dpkg", "--purge", "heartwheel");
            assertEquals(
                    List.of("/etc/heartwheel", "/etc/heartwheel/tls", key, own),
                    root.good("find", "/etc/heartwheel").lines().sorted().toList());
            assertEquals("a key", Files.readString(root.at(key)));
            assertEquals("750 root:root", stat(root, "/etc/heartwheel"));
            assertEquals("640 root:root", stat(root, key));
            assertEquals("640 root:root", stat(root, own));
            for (String gone : List.of("/var/lib/heartwheel", "/var/log/heartwheel", "/run/heartwheel")) {
                assertFalse(Files.exists(root.at(gone)), gone);
            }
            assertEquals(2, root.run("getent", "group", "heartwheel").exit());

            root.good("dpkg", "--install", handedTo(root));
            assertEquals("640 root:heartwheel", stat(root, CONFIG));
            assertEquals("a token", Files.readString(root.at(own)));
        }
    }

    /** What an operator changed lies in conf.d, so that there is nothing to ask of what came with the package, whatever changed in it. */
    @Test
    void upgrade_withAnotherConfiguration_asksNothing() throws Exception {
        Path tree = scratch.resolve("tree");
        Command.good("dpkg-deb", "--raw-extract", deb().toString(), tree.toString());
        for (String shipped : List.of(CONFIG, "/etc/default/heartwheel", "/etc/heartwheel/logback.xml")) {
            Path file = tree.resolve(shipped.substring(1));
            boolean xml = shipped.endsWith(".xml");
            Files.writeString(file, xml ? "<!-- newer -->\n" : "# newer\n", StandardOpenOption.APPEND);
        }
        Path control = tree.resolve("DEBIAN/control");
        Files.writeString(control, Files.readString(control).replaceAll("(?m)^Version: .*$", "Version: 999"));
        try (TestRoot root = new TestRoot()) {
            root.good("dpkg", "--install", handedTo(root));
            String own = "/etc/heartwheel/conf.d/10-own.conf";
            Files.writeString(root.at(own), "heartwheel.heartbeat.interval = 30s\n");
            root.good("systemd-tmpfiles", "--create", "/usr/lib/tmpfiles.d/heartwheel.conf");
            assertEquals("640 root:heartwheel", stat(root, own));
            build(tree, root.at("/tmp/newer.deb"));

            String said = root.good("sh", "-c", "dpkg --install /tmp/newer.deb 2>&1 < /dev/null");

            assertFalse(said.contains("onfiguration file"), said);
            assertTrue(Files.readString(root.at(CONFIG)).endsWith("# newer\n"));
            String checked = root.good(as("heartwheel", "heartwheel-gateway", "--config", CONFIG, "--check"));
            assertTrue(checked.startsWith("ok: " + CONFIG + ", " + own), checked);
        }
    }

    private static String handedTo(TestRoot root) throws IOException {
        Files.copy(deb(), root.at("/tmp/package.deb"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        return "/tmp/package.deb";
    }

    private static void assertInstalled(TestRoot root) throws Exception {
        assertEquals("750 root:heartwheel", stat(root, "/etc/heartwheel"));
        assertEquals("640 root:heartwheel", stat(root, CONFIG));
        assertEquals("640 root:heartwheel", stat(root, "/etc/heartwheel/logback.xml"));
        assertEquals("750 root:heartwheel", stat(root, "/etc/heartwheel/conf.d"));
        assertEquals("644 root:root", stat(root, "/etc/default/heartwheel"));
        for (String page : List.of("SECURITY.md", "operations.md", "decisions/0001-record-decisions.md", "images")) {
            assertTrue(Files.exists(root.at("/usr/share/doc/heartwheel/" + page)), () -> page + ": missing");
        }
        assertEquals("750 heartwheel:heartwheel", stat(root, "/var/lib/heartwheel"));
        assertEquals("750 heartwheel:heartwheel", stat(root, "/var/log/heartwheel"));
        assertEquals("644 root:root", stat(root, "/usr/lib/heartwheel/heartwheel-gateway.jar"));
        assertEquals("644 root:root", stat(root, "/usr/lib/heartwheel/heartwheel-gateway.jsa"));
        assertEquals("755 root:root", stat(root, "/usr/lib/heartwheel/heartwheel-class-archive"));
        assertEquals("755 root:root", stat(root, "/usr/bin/heartwheel-gateway"));
        assertEquals("755 root:root", stat(root, "/usr/sbin/heartwheel-rolling-restart"));
        for (String unit : List.of(".service", "@.service", ".target", ".slice", "-instances.service")) {
            assertEquals("644 root:root", stat(root, "/usr/lib/systemd/system/heartwheel" + unit));
        }
        List<String> conffiles = root.good("dpkg-query", "-f", "${Conffiles}", "-W", "heartwheel")
                .lines()
                .filter(line -> !line.isBlank())
                .map(line -> line.strip().split(" ")[0])
                .sorted()
                .toList();
        assertEquals(List.of("/etc/default/heartwheel", CONFIG, "/etc/heartwheel/logback.xml"), conffiles);
        assertTrue(root.good("getent", "passwd", "heartwheel").contains(":/usr/sbin/nologin"));
    }

    private static String stat(TestRoot root, String path) throws Exception {
        return root.good("stat", "--format=%a %U:%G", path).strip();
    }

    /** As its own account, which may read the configuration, where nobody else may. */
    private static void assertRuns(TestRoot root) throws Exception {
        String[] check = {"heartwheel-gateway", "--config", CONFIG, "--check"};
        String said = root.good(as("heartwheel", check));
        assertTrue(said.startsWith("ok: " + CONFIG), said);
        assertTrue(mapsItsClasses(root));
        Command.Outcome refused = root.run(as("nobody", check));
        assertEquals(78, refused.exit());
        assertTrue(
                refused.output().contains(CONFIG + ": need a file that can be read; user nobody may not "),
                refused::output);
    }

    /** Not from the jar. */
    private static boolean mapsItsClasses(TestRoot root) throws Exception {
        return root.good("env", "JAVA_OPTS=-Xlog:class+load", "heartwheel-gateway", "--config", CONFIG, "--check")
                .contains(" io.heartwheel.app.GatewayMain source: shared objects file (top)");
    }

    /** An update of Java makes the old archive useless; dpkg tells us of it. */
    @Test
    void classArchive_afterAnotherJava_isMadeAnew() throws Exception {
        try (TestRoot root = new TestRoot()) {
            root.good("dpkg", "--install", handedTo(root));
            root.good("rm", "/usr/lib/heartwheel/heartwheel-gateway.jsa");
            assertFalse(mapsItsClasses(root));

            root.good("dpkg-trigger", "--by-package=heartwheel", "/usr/lib/jvm");
            root.good("dpkg", "--triggers-only", "heartwheel");

            assertTrue(mapsItsClasses(root));
        }
    }

    private static String[] as(String account, String... command) {
        return Stream.concat(Stream.of("runuser", "-u", account, "--"), Stream.of(command))
                .toArray(String[]::new);
    }

    @Test
    void archive_unpacked_runsWhereItIs() throws Exception {
        Path archive = built("heartwheel-[0-9].*\\.tar\\.gz");
        Command.good("tar", "-xzf", archive.toString(), "-C", scratch.toString());
        Path home = scratch.resolve(archive.getFileName().toString().replace(".tar.gz", ""));

        String parts =
                "LICENSE NOTICE README.md CHANGELOG.md docs/protocol.md conf/logback.xml SECURITY.md CONTRIBUTING.md"
                        + " docs/decisions/0001-record-decisions.md systemd/heartwheel.service"
                        + " systemd/heartwheel-instances.service lib/heartwheel-gateway.jar";
        for (String part : parts.split(" ")) {
            assertTrue(Files.isRegularFile(home.resolve(part)), () -> part + ": missing");
        }
        String said = Command.good(
                home.resolve("bin/heartwheel-gateway").toString(),
                "--config",
                home.resolve("conf/gateway.conf").toString(),
                "--check");
        assertTrue(said.startsWith("ok: "), said);
        Command.good(home.resolve("bin/heartwheel-class-archive").toString());
        assertTrue(Files.isRegularFile(home.resolve("lib/heartwheel-gateway.jsa")));
        Path link = Files.createSymbolicLink(scratch.resolve("link"), home.resolve("bin/heartwheel-gateway"));
        assertTrue(Command.good(link.toString(), "--version")
                .contains(home.getFileName().toString().replace("heartwheel-", "")));
    }
}

package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages that package and archive carry, as they lie there: every link leads to a file that is there, and to a heading it has. */
class PackageDocumentsTest {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final String DOC = "root/usr/share/doc/heartwheel";
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*)$");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```");

    @TempDir
    private Path scratch;

    private Path made;

    @BeforeEach
    void make() throws Exception {
        made = scratch.resolve("deb");
        Command.good(PROJECT.resolve(".ci/package-tree").toString(), "1", "2026-01-01T00:00:00Z", made.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {DOC, "archive"})
    void links_ofEveryPage_leadSomewhere(String tree) throws Exception {
        assertEquals(List.of(), deadLinks(made.resolve(tree)));
    }

    @Test
    void links_ofTheSources_leadSomewhere() throws Exception {
        List<String> dead = new ArrayList<>(deadLinks(PROJECT.resolve("gateway/docs")));
        for (String page :
                List.of("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "gateway/wheel/README.md")) {
            dead.addAll(deadLinksOf(PROJECT.resolve(page)));
        }
        assertEquals(List.of(), dead);
    }

    @Test
    void pages_ofBoth_areAllThere() {
        for (String page : List.of(
                DOC + "/SECURITY.md",
                DOC + "/operations.md",
                DOC + "/changelog.gz",
                DOC + "/changelog.Debian.gz",
                DOC + "/examples/alerts.yml",
                DOC + "/examples/gateway.conf",
                "archive/SECURITY.md",
                "archive/README.md",
                "archive/LICENSE",
                "archive/docs/operations.md",
                "archive/conf/gateway.conf",
                "root/usr/share/man/man1/heartwheel-gateway.1.gz")) {
            assertTrue(Files.isRegularFile(made.resolve(page)), () -> page + ": missing");
        }
    }

    /** What --help tells of options, subcommands and exit statuses stands in the manual page as well. */
    @Test
    void manualPage_knowsWhatHelpTells() throws Exception {
        String page = Files.readString(PROJECT.resolve("systemd/deb/heartwheel-gateway.1"))
                .replace("\\-", "-")
                .replaceAll("\\\\f.", "");
        for (String word : "--config --check --exit-with-stdin doctor --connections --json 130 143 conf.d".split(" ")) {
            assertTrue(page.contains(word), () -> word + " is not in\n" + page);
        }
    }

    private static List<String> deadLinks(Path tree) throws Exception {
        List<Path> pages;
        try (Stream<Path> files = Files.walk(tree)) {
            pages = files.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
        assertTrue(pages.size() > 20, pages::toString);
        List<String> dead = new ArrayList<>();
        for (Path page : pages) {
            dead.addAll(deadLinksOf(page));
        }
        return dead;
    }

    private static List<String> deadLinksOf(Path page) throws Exception {
        List<String> dead = new ArrayList<>();
        Matcher link = LINK.matcher(CODE.matcher(Files.readString(page)).replaceAll(""));
        while (link.find()) {
            String target = link.group(1);
            if (!ELSEWHERE.matcher(target).matches() && !leadsSomewhere(page, target)) {
                dead.add(page.getFileName() + ": " + target);
            }
        }
        return dead;
    }

    private static boolean leadsSomewhere(Path page, String target) throws Exception {
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path file = path.isEmpty() ? page : page.resolveSibling(path).normalize();
        return Files.exists(file)
                && (hash < 0 || anchors(Files.readString(file)).contains(target.substring(hash + 1)));
    }

    /** As the usual readers of Markdown make them: lower case, no punctuation, dashes for spaces. */
    private static List<String> anchors(String text) {
        return HEADING.matcher(CODE.matcher(text).replaceAll(""))
                .results()
                .map(heading -> heading.group(1)
                        .strip()
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }
}

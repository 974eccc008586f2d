package io.heartwheel.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A browser opens the report from a file and finds what it should. Needs Chromium. */
@Tag("interop")
final class ChromiumReportInteropTest {

    private static final String NASTY = "<img src=x onerror=document.title='taken'>";

    @TempDir
    private Path directory;

    @Test
    void open_report_showsPlotsAndVerdictAndRunsNoWordsFromOutside() throws Exception {
        Path file = directory.resolve("report.html");
        HtmlReport.write(file, Results.rich().falseKill(NASTY, NASTY).result());

        String page = dump(file, "<script>", "<script>document.documentElement.dataset.ours = 'ran';");

        assertEquals(12, parts(page, "<svg "), page);
        assertTrue(parts(page, "<path class=\"line c") >= 15, page);
        assertTrue(page.contains("<div class=\"verdict FAIL\">FAIL</div>"), page);
        assertTrue(page.contains("&lt;img src=x onerror="), page);
        assertFalse(page.contains("<title>taken"), page);
        assertEquals(0, parts(page, "<img"), page);
        // The policy of the page lets its own script run, it ran to its end, and a pointer over a plot is told the
        // value.
        assertTrue(page.contains("data-ours=\"ran\"") && page.contains("data-end=\"reached\""), page);
        assertTrue(page.contains("class=\"says\"") && page.contains(">connected 9,000</text>"), page);
    }

    /** The page's elements after a browser has made sense of them, and a pointer has come to the first plot's end. */
    private String dump(Path file, String from, String to) throws Exception {
        String pointer =
                """
                const plot = document.querySelector('.plot svg'), box = plot.getBoundingClientRect();
                plot.dispatchEvent(new PointerEvent('pointermove', {clientX: box.right - 20, clientY: box.top + 50}));
                document.documentElement.dataset.end = 'reached';
                //]]></script>""";
        String page = Files.readString(file).replace(from, to).replace("//]]></script>", pointer);
        Files.writeString(file, page);
        Path out = directory.resolve("dom.html");
        Process browser = new ProcessBuilder(List.of(
                        "chromium",
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + directory.resolve("profile"),
                        "--dump-dom",
                        file.toUri().toString()))
                .redirectOutput(out.toFile())
                .redirectError(directory.resolve("chromium.log").toFile())
                .start();
        try {
            assertTrue(browser.waitFor(60, TimeUnit.SECONDS), "chromium: still running");
        } finally {
            browser.descendants().forEach(ProcessHandle::destroyForcibly);
            browser.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
        }
        return Files.readString(out, StandardCharsets.UTF_8);
    }

    private static int parts(String text, String part) {
        return (text.length() - text.replace(part, "").length()) / part.length();
    }
}

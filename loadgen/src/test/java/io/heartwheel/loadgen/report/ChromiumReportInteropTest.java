package io.heartwheel.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A browser opens the report from a file and finds what it should, in narrow windows and wide ones. Needs Chromium. */
@Tag("interop")
final class ChromiumReportInteropTest {

    private static final String NASTY = "<img src=x onerror=document.title='taken'>";
    private static final int PLOTS = 9;

    /** All texts on the page that are not on a canvas, in plots, as boxes. */
    private static final String TAGS =
            "[...document.querySelectorAll('.tag')].filter(tag => !tag.hidden).map(tag => { const box = tag.getBoundingClientRect();"
                    + " return {plot: tag.closest('figure').querySelector('strong').textContent, text: tag.textContent,"
                    + " left: box.left, right: box.right, top: box.top, bottom: box.bottom,"
                    + " size: parseFloat(getComputedStyle(tag).fontSize)}; })";

    @TempDir
    private Path directory;

    private Path file = Path.of("");
    private Chromium browser;

    @BeforeEach
    void open() throws Exception {
        file = directory.resolve("report.html");
        Files.writeString(
                file, HtmlReport.text(Results.rich().falseKill(NASTY, NASTY).result()));
        browser = new Chromium(directory);
    }

    @AfterEach
    void close() throws Exception {
        browser.close();
    }

    @Test
    void open_report_showsPlotsAndVerdictAndRunsNoWordsFromOutside() throws Exception {
        browser.open(file, 1_200);
        assertEquals(
                PLOTS,
                browser.run("document.querySelectorAll('.uplot canvas').length").asInt());
        assertEquals(
                "FAIL",
                browser.run("document.querySelector('.verdict.FAIL').textContent")
                        .asText());
        assertEquals(
                "FAIL: restart, 10,000 devices", browser.run("document.title").asText());
        assertEquals(0, browser.run("document.images.length").asInt());
        // The policy lets the page's own script run and its own style count, and no other.
        assertEquals(
                "grid",
                browser.run("getComputedStyle(document.querySelector('.plots')).display")
                        .asText());
        assertEquals(
                "undefined",
                browser.run(
                                "(() => { const other = document.createElement('script'); other.textContent = 'window.other = 1';"
                                        + " document.head.append(other); return typeof window.other; })()")
                        .asText());
    }

    @Test
    void pointer_overAPlot_tellsValuesThereAndInTheOthers() throws Exception {
        browser.open(file, 1_200);
        JsonNode at = box(".u-over");
        browser.pointer(
                "mouseMoved", at.get("right").asDouble() - 3, at.get("top").asDouble() + 30);
        JsonNode values = browser.run(
                "[...document.querySelectorAll('figure')].slice(0, 3).map(plot => plot.querySelector('.uplot').textContent)");
        assertTrue(values.get(0).asText().matches(".*at[0-9:. s]+connected9,000.*"), values::toString);
        assertTrue(values.get(2).asText().matches(".*p99[0-9.]+.*"), values::toString);
    }

    @Test
    void drag_acrossAPlot_showsThatStretchOfTheRun() throws Exception {
        browser.open(file, 1_200);
        JsonNode at = box(".u-over");
        double middle = at.get("top").asDouble() + 60;
        double left = at.get("left").asDouble();
        double wide = at.get("right").asDouble() - left;
        String first =
                "window.uPlotOfTest = 0, [...document.querySelectorAll('.tag')].filter(tag => !tag.hidden).length";
        int before = browser.run(first).asInt();
        browser.pointer("mousePressed", left + wide * 0.02, middle);
        browser.pointer("mouseMoved", left + wide * 0.1, middle);
        browser.pointer("mouseReleased", left + wide * 0.1, middle);
        browser.resize(1_201);
        assertTrue(browser.run(first).asInt() < before, "marks outside of what is shown are not drawn");
    }

    @Test
    void open_anyWidth_labelsAreReadableAndApart() throws Exception {
        browser.open(file, 1_200);
        for (int width : new int[] {1_920, 1_200, 768, 480, 360}) {
            browser.resize(width);
            String pictures = System.getProperty("heartwheel.pictures");
            if (pictures != null) {
                browser.picture(Path.of(pictures, "report-" + width + ".png"));
            }
            assertTrue(
                    browser.run("document.documentElement.scrollWidth").asInt() <= width,
                    width + ": the page is wider than its window");
            JsonNode canvases = browser.run("[...document.querySelectorAll('.uplot')].map(plot => [plot.clientWidth,"
                    + " plot.querySelector('canvas').width, plot.querySelector('.u-over').clientWidth])");
            assertEquals(PLOTS, canvases.size());
            for (JsonNode canvas : canvases) {
                // Drawn as wide as it is shown: a font of 12 pixels is 12 pixels.
                assertEquals(canvas.get(0).asInt(), canvas.get(1).asInt(), 1, width + ": " + canvases);
                assertTrue(canvas.get(2).asInt() > 0.6 * canvas.get(0).asInt(), width + ": " + canvases);
            }
            apart(width, browser.run(TAGS));
            JsonNode narrow = browser.run("[...document.querySelectorAll('.wide tbody tr > :first-child')]"
                    + ".filter(cell => cell.clientWidth < 90).map(cell => cell.textContent)");
            assertEquals(0, narrow.size(), width + ": names broken letter by letter: " + narrow);
        }
    }

    private void apart(int width, JsonNode tags) {
        List<String> seen = new ArrayList<>();
        for (JsonNode tag : tags) {
            seen.add(tag.get("plot").asText() + ": " + tag.get("text").asText());
            assertTrue(tag.get("size").asDouble() >= 12, tag::toString);
            assertTrue(tag.get("left").asDouble() >= 0 && tag.get("right").asDouble() <= width, tag::toString);
            for (int i = seen.size(); i < tags.size(); i++) {
                JsonNode other = tags.get(i);
                boolean over = tag.get("left").asDouble() < other.get("right").asDouble()
                        && other.get("left").asDouble() < tag.get("right").asDouble()
                        && tag.get("top").asDouble() < other.get("bottom").asDouble()
                        && other.get("top").asDouble() < tag.get("bottom").asDouble();
                assertTrue(!over, () -> width + ": " + tag + " over " + other);
            }
        }
        assertTrue(seen.contains("Detection lateness by percentile, ms: p99"), width + ": " + seen);
        assertTrue(seen.contains("Detection lateness by percentile, ms: limit p99"), width + ": " + seen);
        assertTrue(seen.contains("Connections: 1") && seen.contains("Connections: ramp"), width + ": " + seen);
    }

    private JsonNode box(String selector) throws Exception {
        return browser.run("(() => { const one = document.querySelector('" + selector
                + "'); one.scrollIntoView({block: 'center'}); const box = one.getBoundingClientRect();"
                + " return {left: box.left, right: box.right, top: box.top, bottom: box.bottom}; })()");
    }
}

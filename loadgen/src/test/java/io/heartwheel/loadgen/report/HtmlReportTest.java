package io.heartwheel.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.judge.Finding;
import io.heartwheel.loadgen.judge.Recovery;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.judge.Sample;
import io.heartwheel.loadgen.measure.Latencies;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The page is whole, loads nothing, and lets nobody write markup into it. */
final class HtmlReportTest {

    private static final String NASTY = "</td><script>alert(1)</script>\"'&\u001b\u202e";

    private static Document parse(String page) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://xml.org/sax/features/external-general-entities", false);
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(page)));
    }

    private static int plots(Document page) {
        return page.getElementsByTagName("figure").getLength();
    }

    private static Results nasty() {
        Results results = Results.rich().falseKill(NASTY, NASTY);
        results.scenario = NASTY;
        results.behaviours.put(NASTY, 1L);
        results.ledger.row("refusals", NASTY, 1);
        results.ledger.row("closes of " + NASTY, NASTY, 1);
        results.findings.add(new Finding(Finding.Weight.SOFT, NASTY));
        results.marks.add(new Result.Mark(70, NASTY));
        results.recoveries.add(new Recovery(NASTY, 100, 9_000, 8_000, Map.of(50, 1.0), 5, 1));
        return results;
    }

    @Test
    void text_richRun_isWellFormedAndHasItsPlots() throws Exception {
        Document page = parse(HtmlReport.text(Results.rich().result()));
        assertEquals(9, plots(page));
        assertEquals(
                "PASS: restart, 10,000 devices",
                page.getElementsByTagName("title").item(0).getTextContent());
        String body = page.getElementsByTagName("body").item(0).getTextContent();
        for (String part : new String[] {
            "The gateway kept the contract",
            "restart gateway 0, at 60.0 s",
            "silent: 1,000 with 4001 HEARTBEAT_TIMEOUT",
            "4006 HANDSHAKE_TIMEOUT",
            "limit 40.0 ms"
        }) {
            assertTrue(body.contains(part), part);
        }
    }

    @Test
    void text_emptyOrTinyRun_isWellFormed() throws Exception {
        Results quiet = Results.quiet();
        assertEquals(0, plots(parse(HtmlReport.text(quiet.result()))));
        quiet.series.add(Results.sample(1));
        assertEquals(0, plots(parse(HtmlReport.text(quiet.result()))));
        quiet.series.add(Results.sample(2));
        assertTrue(plots(parse(HtmlReport.text(quiet.result()))) > 3);
        quiet.clients = 0;
        parse(HtmlReport.text(quiet.result()));
    }

    @Test
    void text_figuresThatAreNone_areNotDrawn() throws Exception {
        Results results = Results.rich();
        Latencies.Summary none = Latencies.Summary.NOTHING;
        double nan = Double.NaN;
        results.series.add(5, new Sample(nan, 1, nan, nan, nan, nan, nan, 1, 1, 1, none, none, none, nan, nan));
        String page = HtmlReport.text(results.result());
        parse(page);
        assertFalse(
                Pattern.compile("data-plot=\"[^\"]*(NaN|Infinity)")
                        .matcher(page)
                        .find(),
                page);
    }

    @Test
    void text_wordsFromOutside_stayWords() throws Exception {
        String page = HtmlReport.text(nasty().result());
        Document document = parse(page);
        assertEquals(1, document.getElementsByTagName("script").getLength());
        assertFalse(page.contains("<script>alert"), page);
        assertFalse(page.contains("\u001b") || page.contains("\u202e"), "control characters");
        assertTrue(document.getDocumentElement().getTextContent().contains("<script>alert(1)</script>"));
    }

    @Test
    void text_anyRun_loadsNothing() throws Exception {
        String page = HtmlReport.text(nasty().result());
        assertFalse(page.contains("http://") || page.contains("https://") || page.contains("//cdn"), "an address");
        assertFalse(page.contains("@import") || page.contains("url("), "a style that loads");
        assertTrue(page.contains("default-src &#39;none&#39;"));
        Document document = parse(page);
        NodeList all = document.getElementsByTagName("*");
        for (int i = 0; i < all.getLength(); i++) {
            Element element = (Element) all.item(i);
            for (String name : new String[] {"src", "href", "data", "action", "style", "onclick", "onload"}) {
                assertFalse(element.hasAttribute(name), element.getTagName() + " has " + name);
            }
        }
    }

    @Test
    void text_longRun_drawsAtMostSixHundredPointsALine() {
        Results results = Results.quiet();
        for (int second = 1; second <= 20_000; second++) {
            results.series.add(Results.sample(second));
        }
        String page = HtmlReport.text(results.result());
        Matcher lines = Pattern.compile("\\[([0-9.,nul]+)\\]").matcher(page);
        int found = 0;
        while (lines.find()) {
            long points = lines.group(1).chars().filter(c -> c == ',').count() + 1;
            assertTrue(points <= 600, points + " points");
            found++;
        }
        assertTrue(found > 5, found + " lines");
        assertTrue(page.length() < 600_000, page.length() + " characters");
    }

    @Test
    void text_manyMarks_areBoundedAndSaidSo() {
        Results results = Results.rich();
        for (int i = 0; i < 100; i++) {
            results.marks.add(new Result.Mark(i, "step"));
        }
        assertTrue(HtmlReport.text(results.result()).contains("and 72 more, not drawn"));
    }

    @Test
    void text_verdicts_sayWhatTheyMean() {
        Results results = Results.rich();
        results.verdict = RunVerdict.INCONCLUSIVE;
        results.bottleneck = true;
        assertTrue(HtmlReport.text(results.result()).contains("Nothing is proved: the generator was the bottleneck"));
        results.verdict = RunVerdict.FAIL;
        assertTrue(HtmlReport.text(results.result()).contains("The gateway did not keep the contract"));
    }

    @Test
    void text_inAnotherLocale_writesTheSameNumbers() {
        Locale before = Locale.getDefault();
        String page = HtmlReport.text(Results.rich().result());
        try {
            Locale.setDefault(Locale.GERMANY);
            assertEquals(page, HtmlReport.text(Results.rich().result()));
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void write_result_isTheText(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("a.html");
        Files.writeString(file, HtmlReport.text(Results.rich().result()));
        assertEquals(HtmlReport.text(Results.rich().result()), Files.readString(file));
    }
}

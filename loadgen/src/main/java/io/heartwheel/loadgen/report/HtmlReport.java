package io.heartwheel.loadgen.report;

import io.heartwheel.loadgen.judge.Finding;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.judge.RunVerdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * A result as one HTML file that needs nothing else: style, script and plots stand inside, and a content security policy
 * of its own forbids it to load anything, whatever a device called itself. Plots are drawn by uPlot, which stands inside
 * too; without the script all but they is there. In light and dark, on paper. Well-formed as XML, too. Stateless; any thread.
 *
 * <pre>
 *   verdict   findings
 *   key figures
 *   plots over time          (marks of the timeline through all of them)
 *   tables
 * </pre>
 */
public final class HtmlReport {

    private static final String STYLE = "\n" + resource("uPlot.min.css") + resource("report.css");
    private static final String SCRIPT = "//<![CDATA[\n" + plotter() + resource("report.js") + "//]]>";

    /** Only this very style and this very script; colours and places are set by the script, which needs no leave for it. */
    private static final String POLICY =
            "default-src 'none'; style-src '" + hash(STYLE) + "'; script-src '" + hash(SCRIPT) + "'";

    private HtmlReport() {}

    /** The page. */
    public static String text(Result result) {
        Markup page = new Markup().verbatim("<!DOCTYPE html>\n");
        page.open("html", "lang", "en");
        head(page, result);
        page.open("body").line();
        headline(page, result);
        findings(page, result);
        PageFigures figures = new PageFigures(page, result, new ResultFigures(result));
        figures.tiles();
        PagePlots.write(page, result);
        figures.tables();
        page.leaf("footer", "heartwheel-loadgen " + result.version() + ", " + result.format())
                .line();
        page.open("script").verbatim(SCRIPT).close();
        return page.close().close().line().finish();
    }

    private static void head(Markup page, Result result) {
        page.open("head").open("meta", "charset", "utf-8");
        page.open("meta", "http-equiv", "Content-Security-Policy", "content", POLICY);
        page.open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        page.leaf(
                "title",
                result.verdict() + ": " + result.scenario() + ", " + Format.count(result.clients()) + " devices");
        page.open("style").verbatim(STYLE).close().close().line();
    }

    private static void headline(Markup page, Result result) {
        page.open("header").leaf("div", result.verdict().name(), "class", "verdict " + result.verdict());
        page.open("div").leaf("h1", result.scenario());
        String facts = Format.text(
                "%s. %,d devices, observed for %,.1f s, begun %s, seed %d",
                sentence(result), result.clients(), result.observedSeconds(), result.startedAt(), result.seed());
        page.leaf("p", facts, "class", "soft");
        page.close().close().line();
    }

    private static String sentence(Result result) {
        if (result.verdict() == RunVerdict.PASS) {
            return "The gateway kept the contract";
        }
        return result.verdict() == RunVerdict.FAIL
                ? "The gateway did not keep the contract"
                : "Nothing is proved" + (result.generatorWasBottleneck() ? ": the generator was the bottleneck" : "");
    }

    private static void findings(Markup page, Result result) {
        if (result.findings().isEmpty()) {
            return;
        }
        page.open("ul", "class", "findings");
        for (Finding finding : result.findings()) {
            page.open("li", "class", finding.weight().name())
                    .leaf(
                            "b",
                            finding.weight().name(),
                            "title",
                            finding.weight().meaning())
                    .text(finding.text())
                    .close();
        }
        page.close().line();
    }

    /** uPlot with its licence in the place of its first line, an address. */
    private static String plotter() {
        String library = resource("uPlot.min.js");
        return "/*! uPlot 1.6.32\n" + resource("uPlot.LICENSE") + "*/\n" + library.substring(library.indexOf('\n') + 1)
                + "\n";
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256: every JDK has it", e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + ": not in this jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name + ": not readable", e);
        }
    }
}

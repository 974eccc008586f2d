package io.heartwheel.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.measure.Latencies;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** Parts of plots: axes, fewer points, distributions, markup. */
final class PlotPartsTest {

    @Test
    void thin_fewPoints_leavesThemAlone() {
        double[] values = {1, 2, 3};
        assertArrayEquals(values, new Downsampling(3, 600).extremes(values));
        assertArrayEquals(values, new Downsampling(3, 600).places(values));
    }

    @Test
    void thin_manyPoints_keepsExtremesOrderAndEnds() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            int count = 601 + random.nextInt(20_000);
            double[] xs = DoubleStream.iterate(0, x -> x + 1).limit(count).toArray();
            double[] ys = random.doubles(count).toArray();
            ys[random.nextInt(count)] = 1_000;
            ys[random.nextInt(count)] = -1_000;
            ys[random.nextInt(count)] = Double.NaN;
            Downsampling downsampling = new Downsampling(count, 600);
            double[] thin = downsampling.extremes(ys);
            double[] places = downsampling.places(xs);
            assertEquals(600, thin.length);
            assertEquals(600, places.length);
            assertEquals(min(ys), min(thin), "seed " + seed);
            assertEquals(-min(negated(ys)), -min(negated(thin)), "seed " + seed);
            assertEquals(xs[0], places[0]);
            assertEquals(xs[count - 1], places[599]);
            for (int i = 1; i < places.length; i++) {
                assertTrue(places[i] >= places[i - 1], "out of order, seed " + seed);
            }
        }
    }

    @Test
    void plot_figures_areShortAndGapsWhereTheyAreNone() {
        Markup page = new Markup();
        new Plot("t", "", Plot.Scale.NINES, new double[] {0, 1_234_567, 2_000_000}, true)
                .line("p99", 2, new double[] {0, 1.0 / 3, Double.NaN})
                .upright(2, "p99", "here")
                .write(page);
        String json = "{\"x\":\"NINES\",\"log\":true,\"lines\":[{\"name\":\"p99\",\"colour\":2,\"kind\":\"LINE\"}],"
                + "\"values\":[[0,1234600,2000000],[null,0.33333,null]],"
                + "\"rules\":[{\"at\":2,\"upright\":true,\"label\":\"p99\",\"text\":\"here\"}]}";
        assertTrue(page.finish().contains(json.replace("\"", "&quot;")), page.finish());
    }

    private static double min(double[] values) {
        return Arrays.stream(values).filter(value -> !Double.isNaN(value)).min().orElseThrow();
    }

    private static double[] negated(double[] values) {
        return Arrays.stream(values).map(value -> -value).toArray();
    }

    @Test
    void distribution_encoded_tellsCountsAndShares() {
        Latencies latencies = Latencies.fine();
        for (int millis = 1; millis <= 100; millis++) {
            latencies.record(millis * Results.MILLI);
        }
        Latencies distribution = Latencies.decoded(latencies.encoded());
        assertEquals(100, distribution.count());
        assertEquals(50, distribution.countUpTo(50 * Results.MILLI));
        assertEquals(0, distribution.countUpTo(Results.MILLI / 2));
        assertEquals(0, distribution.countUpTo(-1));
        assertEquals(100, distribution.countUpTo(Long.MAX_VALUE));
        assertEquals(50.0, distribution.atShare(0.5) / 1e6, 0.1);
        assertEquals(100.0, distribution.atShare(1) / 1e6, 0.1);
        assertEquals(5.05, distribution.sumNanos() / 1e9, 0.01);
        assertThrows(IllegalArgumentException.class, () -> Latencies.decoded("%"));
    }

    @Test
    void markup_texts_areEscapedEverywhere() {
        String page = new Markup()
                .open("a", "title", "\"<&'>")
                .text("<b>&amp;\u0000\u001b\u202e\ud800\ufffe\u00e9\ud83d\ude00")
                .close()
                .finish();
        assertEquals(
                "<a title=\"&quot;&lt;&amp;&#39;&gt;\">&lt;b&gt;&amp;amp;\ufffd\ufffd\ufffd\ufffd\ufffd\u00e9\ud83d\ude00</a>",
                page);
    }

    @Test
    void markup_elementLeftOpen_isNoPage() {
        Markup page = new Markup().open("p");
        assertThrows(IllegalStateException.class, page::finish);
    }

    @Test
    void markup_emptyElements_closeAsHtmlWants() {
        assertEquals(
                "<meta charset=\"utf-8\"/><div></div>",
                new Markup()
                        .open("meta", "charset", "utf-8")
                        .open("div")
                        .close()
                        .finish());
    }

    @Test
    void words_numbers_haveTheDigitsTheyDeserve() {
        assertEquals(
                List.of("0", "0.123", "1.23", "12.3", "123", "1,234", "unknown"),
                DoubleStream.of(0, 0.1234, 1.234, 12.34, 123.4, 1_234, Double.NaN)
                        .mapToObj(Format::number)
                        .toList());
        assertEquals("512 bytes", Format.bytes(512));
        assertEquals("3.5 KiB", Format.bytes(3_584));
        assertEquals("2.0 TiB", Format.bytes(2.0 * (1L << 40)));
        assertEquals("0.14 ms", Format.latency(140_000));
        assertEquals("12.3 ms", Format.latency(12_340_000));
        assertEquals("12.3 s", Format.latency(12_340_000_000L));
    }
}

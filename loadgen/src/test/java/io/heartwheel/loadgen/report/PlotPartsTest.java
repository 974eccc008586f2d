package io.heartwheel.loadgen.report;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.measure.Latencies;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** What plots are made of: axes, fewer points, distributions, markup. */
final class PlotPartsTest {

    private static String names(Axis axis) {
        return axis.ticks().stream().map(Axis.Tick::text).collect(Collectors.joining(" "));
    }

    @Test
    void linear_anyTop_namesRoundValuesUpToIt() {
        assertEquals("0 2,000 4,000 6,000 8,000 10,000", names(Axis.linear(10_000, 5)));
        assertEquals("0 1,000 2,000 3,000 4,000 5,000", names(Axis.linear(4_321, 5)));
        assertEquals("0 0.5 1 1.5 2", names(Axis.linear(2, 5)));
        assertEquals(1, Axis.linear(0, 5).most());
        assertEquals(1, Axis.linear(Double.NaN, 5).most());
    }

    @Test
    void log_range_namesThePowersAroundIt() {
        assertEquals("0.1 1 10 100", names(Axis.log(0.35, 80)));
        assertEquals("100 1,000", names(Axis.log(1_000, 1_000)));
        assertTrue(Axis.log(1e-9, 1e9).ticks().size() <= 8, "bounded");
        assertTrue(Axis.log(Double.POSITIVE_INFINITY, 0).least() > 0);
    }

    @Test
    void time_anyLength_namesRoundTimes() {
        assertEquals("0 s 5 s 10 s 15 s 20 s 25 s", names(Axis.time(25)));
        assertEquals("0 s 1 min 2 min 3 min 4 min 5 min 6 min 7 min 8 min", names(Axis.time(480)));
        for (double seconds : new double[] {0, 1, 17, 59, 61, 3_000, 86_400, 1e7, Double.NaN}) {
            assertTrue(Axis.time(seconds).ticks().size() <= 12, () -> seconds + ": " + names(Axis.time(seconds)));
        }
    }

    @Test
    void place_values_liesBetweenTheEnds() {
        assertEquals(0.5, Axis.linear(10, 5).place(5));
        assertEquals(0.5, Axis.log(0.1, 1_000).place(10), 1e-9);
        assertEquals(0, Axis.log(0.1, 1_000).place(0));
        assertEquals(1, Axis.linear(10, 5).place(1e9));
        assertEquals(0, Axis.linear(10, 5).place(Double.NaN));
    }

    @Test
    void thin_fewPoints_leavesThemAlone() {
        double[] values = {1, 2, 3};
        assertArrayEquals(values, Thinning.thin(values, values, 600).ys());
    }

    @Test
    void thin_manyPoints_keepsExtremesOrderAndEnds() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            int count = 601 + random.nextInt(20_000);
            double[] xs = DoubleStream.iterate(0, x -> x + 1).limit(count).toArray();
            double[] ys = random.doubles(count).toArray();
            ys[random.nextInt(count)] = 1_000;
            ys[random.nextInt(count)] = -1_000;
            ys[random.nextInt(count)] = Double.NaN;
            Thinning.Points thin = Thinning.thin(xs, ys, 600);
            assertTrue(thin.xs().length <= 600 && thin.xs().length > 300, thin.xs().length + " points, seed " + seed);
            assertEquals(min(ys), min(thin.ys()), "seed " + seed);
            assertEquals(-min(negated(ys)), -min(negated(thin.ys())), "seed " + seed);
            assertEquals(xs[0], thin.xs()[0]);
            assertEquals(xs[count - 1], thin.xs()[thin.xs().length - 1]);
            for (int i = 1; i < thin.xs().length; i++) {
                assertTrue(thin.xs()[i] > thin.xs()[i - 1], "out of order, seed " + seed);
            }
        }
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
        Distribution distribution = Distribution.of(latencies.encoded());
        assertEquals(100, distribution.count());
        assertEquals(50, distribution.countUpTo(50 * Results.MILLI));
        assertEquals(0, distribution.countUpTo(Results.MILLI / 2));
        assertEquals(0, distribution.countUpTo(-1));
        assertEquals(100, distribution.countUpTo(Long.MAX_VALUE));
        assertEquals(50.0, distribution.atShare(0.5) / 1e6, 0.1);
        assertEquals(100.0, distribution.mostNanos() / 1e6, 0.1);
        assertEquals(5.05, distribution.sumNanos() / 1e9, 0.01);
        assertThrows(IllegalArgumentException.class, () -> Distribution.of("%"));
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
                        .mapToObj(Words::number)
                        .toList());
        assertEquals("512 bytes", Words.bytes(512));
        assertEquals("3.5 KiB", Words.bytes(3_584));
        assertEquals("2.0 TiB", Words.bytes(2.0 * (1L << 40)));
        assertEquals("0.14 ms", Words.latency(140_000));
        assertEquals("12.3 ms", Words.latency(12_340_000));
        assertEquals("12.3 s", Words.latency(12_340_000_000L));
    }
}

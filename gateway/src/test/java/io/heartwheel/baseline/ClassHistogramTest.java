package io.heartwheel.baseline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClassHistogramTest {
    private static final String BEFORE =
            """
            1234:
             num     #instances         #bytes  class name (module)
            -------------------------------------------------------
               1:          1000          64000  [B (java.base@17.0.15)
               2:           500          12000  java.lang.String (java.base@17.0.15)
            Total          1500          76000
            """;

    private static final String AFTER =
            """
            1234:
             num     #instances         #bytes  class name (module)
            -------------------------------------------------------
               1:          1100          70400  [B (java.base@17.0.15)
               2:           500          12000  java.lang.String (java.base@17.0.15)
               3:           100           2400  io.x.Server$$Lambda$203/0x00000008401a0c40
               4:           100           1600  io.x.Server$$Lambda$203/0x00000008401a1048
            Total          1800          86400
            """;

    @Test
    void parse_histogram_addsUpToItsTotal() {
        ClassHistogram histogram = ClassHistogram.parse(AFTER);
        assertEquals(86_400, histogram.bytes());
        assertEquals(1_800, histogram.instances());
    }

    @Test
    void growth_betweenTwo_isSharedAmongConnections() {
        List<ClassHistogram.Share> growth = ClassHistogram.parse(AFTER).growth(ClassHistogram.parse(BEFORE), 100);
        assertEquals(
                List.of(
                        new ClassHistogram.Share("[B", 1, 64),
                        new ClassHistogram.Share("io.x.Server$$Lambda$203", 2, 40)),
                growth);
    }
}

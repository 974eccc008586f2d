package io.heartwheel.app.doctor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.heartwheel.app.doctor.Finding.Grade;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;

/** Report of the findings, as text or JSON. */
record Report(long connections, List<Finding> findings) {

    boolean fails() {
        return count(Grade.FAIL) > 0;
    }

    private long count(Grade grade) {
        return findings.stream().filter(finding -> finding.grade() == grade).count();
    }

    void printText(PrintWriter out) {
        for (Finding finding : findings) {
            out.printf(Locale.ROOT, "%-4s  %-13s  %s%n", word(finding), finding.area(), inOneLine(finding.what()));
            if (finding.grade() != Grade.OK) {
                out.printf(Locale.ROOT, "%21s%s%n", "", inOneLine(finding.why()));
                out.printf(Locale.ROOT, "%21s-> %s%n", "", inOneLine(finding.remedy()));
            }
        }
        out.printf(
                Locale.ROOT,
                "%d ok, %d warn, %d fail, for %,d connections%n",
                count(Grade.OK),
                count(Grade.WARN),
                count(Grade.FAIL),
                connections);
        out.flush();
    }

    /** One object: {@code connections}, {@code ok}, {@code warn}, {@code fail}, {@code findings}. */
    void printJson(PrintWriter out) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JsonFactory.builder().build().createGenerator(text)) {
            json.writeStartObject();
            json.writeNumberField("connections", connections);
            for (Grade grade : Grade.values()) {
                json.writeNumberField(grade.name().toLowerCase(Locale.ROOT), count(grade));
            }
            json.writeArrayFieldStart("findings");
            for (Finding finding : findings) {
                json.writeStartObject();
                json.writeStringField("grade", word(finding));
                json.writeStringField("area", finding.area());
                json.writeStringField("what", finding.what());
                if (finding.grade() != Grade.OK) {
                    json.writeStringField("why", finding.why());
                    json.writeStringField("remedy", finding.remedy());
                }
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.println(text);
        out.flush();
    }

    private static String word(Finding finding) {
        return finding.grade().name().toLowerCase(Locale.ROOT);
    }

    private static String inOneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }
}

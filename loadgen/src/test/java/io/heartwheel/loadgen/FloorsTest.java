package io.heartwheel.loadgen;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The floors of the load generator, and that it shares no code with the gateway: two independent readings of one wire
 * document find the faults that shared code hides.
 *
 * <pre>
 *   6  app
 *   5  workers   report   downlink   uplink
 *   4  fleet   conform
 *   3  judge   credential
 *   2  scenario
 *   1  client   server
 *   0  pace   measure   wire
 * </pre>
 */
class FloorsTest {
    private static final String ROOT = "io.heartwheel.loadgen.";

    /** From the ground up; packages of one string stand on one floor. */
    private static final List<List<String>> TABLE = List.of(
            List.of("pace", "measure", "wire"),
            List.of("client", "server"),
            List.of("scenario"),
            List.of("judge", "credential"),
            List.of("fleet", "conform"),
            List.of("workers", "report", "downlink", "uplink"),
            List.of("app"));

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.heartwheel.loadgen");

    @Test
    void table_everyFloor_standsInTheCode() {
        for (List<String> floor : TABLE) {
            for (String name : floor) {
                assertTrue(MAIN.containPackage(ROOT + name), () -> name + ": no class file was read");
            }
        }
    }

    @Test
    void table_everyClass_hasAFloor() {
        check(classes().should().resideInAnyPackage(trees(0, "")));
    }

    @Test
    void package_everyOne_isNullMarked() {
        for (String name :
                MAIN.stream().map(JavaClass::getPackageName).distinct().toList()) {
            assertTrue(MAIN.getPackage(name).isAnnotatedWith(NullMarked.class), () -> name + ": not @NullMarked");
        }
    }

    @Test
    void package_everyOne_importsOnlyLowerFloors() {
        for (int level = 0; level < TABLE.size(); level++) {
            for (String name : TABLE.get(level)) {
                String[] forbidden = trees(level, name);
                if (forbidden.length > 0) {
                    check(noClasses()
                            .that()
                            .resideInAPackage(ROOT + name + "..")
                            .should()
                            .dependOnClassesThat()
                            .resideInAnyPackage(forbidden));
                }
            }
        }
    }

    /** Classes that all lead to each other; nested ones count as the class around them. */
    @Test
    void package_everyOne_hasNoCycleOfMoreThanThreeClasses() {
        Map<String, Set<String>> uses = new TreeMap<>();
        for (JavaClass user : MAIN) {
            for (Dependency each : user.getDirectDependenciesFromSelf()) {
                if (each.getTargetClass().getPackageName().equals(user.getPackageName())) {
                    uses.computeIfAbsent(outermost(user), name -> new TreeSet<>())
                            .add(outermost(each.getTargetClass()));
                }
            }
        }
        assertTrue(uses.size() > 50, () -> "references were read: " + uses);
        for (String name : uses.keySet()) {
            Set<String> cycle = reached(name, uses);
            cycle.removeIf(other -> !reached(other, uses).contains(name));
            assertTrue(cycle.size() <= 3, () -> "a cycle of " + cycle);
        }
    }

    private static String outermost(JavaClass of) {
        return of.getName().replaceAll("\\$.*", "");
    }

    private static Set<String> reached(String from, Map<String, Set<String>> uses) {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(uses.getOrDefault(from, Set.of()));
        while (!next.isEmpty()) {
            String name = next.pop();
            if (reached.add(name)) {
                next.addAll(uses.getOrDefault(name, Set.of()));
            }
        }
        return reached;
    }

    @Test
    void gateway_anyClassOfIt_isNotSeen() {
        check(noClasses()
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.heartwheel..").and(not(resideInAPackage("io.heartwheel.loadgen..")))));
    }

    @Test
    void wire_ofNetty_seesBuffersOnly() {
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + "wire..")
                .should()
                .dependOnClassesThat(resideInAPackage("io.netty..")
                        .and(not(resideInAnyPackage("io.netty.buffer", "io.netty.util")))));
    }

    @Test
    void netty_inPaceMeasureAndJudge_isNotSeen() {
        check(noClasses()
                .that()
                .resideInAnyPackage(ROOT + "pace..", ROOT + "measure..", ROOT + "judge..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.netty.."));
    }

    @Test
    void judge_ofClients_seesContractsOnly() {
        List<String> contracts = List.of(
                "AllowedEnds",
                "ConnectionEnd",
                "DeviceDefaults",
                "ExpectedOutcome",
                "MessageContract",
                "ServerContract",
                "Timeouts");
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + "judge..")
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + "client..")
                        .and(describe("are no contract", type -> !contracts.contains(type.getSimpleName())))));
    }

    @Test
    void clock_belowApp_isHandedIn() {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + "app..")
                .should()
                .accessTargetWhere(describe("a clock is read", access -> List.of("nanoTime", "currentTimeMillis", "now")
                        .contains(access.getTarget().getName()))));
    }

    @Test
    void interopTest_name_agreesWithItsTag() {
        for (JavaClass test : new ClassFileImporter().importPackages("io.heartwheel.loadgen")) {
            if (test.isTopLevelClass()) {
                boolean tagged = test.isAnnotatedWith(Tag.class)
                        && test.getAnnotationOfType(Tag.class).value().equals("interop");
                assertEquals(test.getSimpleName().endsWith("InteropTest"), tagged, test::getName);
            }
        }
    }

    /** The package trees of this floor and all above, less one's own. */
    private static String[] trees(int fromLevel, String own) {
        return TABLE.subList(fromLevel, TABLE.size()).stream()
                .flatMap(List::stream)
                .filter(name -> !name.equals(own))
                .map(name -> ROOT + name + "..")
                .toArray(String[]::new);
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(MAIN);
    }
}

package io.heartwheel;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.heartwheel.nats.NatsServers;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * The floor table. A package imports only lower floors, never a sibling on its own floor.
 *
 * <pre>
 *   8  app
 *   7  config
 *   6  admin
 *   5  metrics     jfr
 *   4  transport   sink   outlet   history   log
 *   3  protocol (.frame, .websocket, ...)   drain   presence   push   cluster
 *   2  session     store
 *   1  liveness    auth    netty   nats
 *   0  wheel       event   net   output
 * </pre>
 *
 * Plain {@code @Test} methods on purpose: {@code @ArchTest} fields have been seen to be skipped without a word.
 */
class FloorsTest {
    private static final String ROOT = "io.heartwheel.";

    private static final List<Floor> TABLE = List.of(
            new Floor(0, "wheel"),
            new Floor(0, "event"),
            new Floor(0, "net"),
            new Floor(0, "output"),
            new Floor(1, "auth"),
            new Floor(1, "liveness"),
            new Floor(2, "session"),
            new Floor(2, "store"),
            new Floor(1, "netty"),
            new Floor(1, "nats"),
            new Floor(3, "protocol"),
            new Floor(3, "drain"),
            new Floor(3, "presence"),
            new Floor(3, "push"),
            new Floor(3, "cluster"),
            new Floor(4, "transport"),
            new Floor(4, "sink"),
            new Floor(4, "outlet"),
            new Floor(4, "history"),
            new Floor(4, "log"),
            new Floor(5, "metrics"),
            new Floor(5, "jfr"),
            new Floor(6, "admin"),
            new Floor(7, "config"),
            new Floor(8, "app"));

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.heartwheel");

    private static final Set<String> CLOCK_READS =
            Set.of("java.lang.System.currentTimeMillis", "java.lang.System.nanoTime");

    private record Floor(int level, String name) {
        String tree() {
            return ROOT + name + "..";
        }

        boolean mayNotSee(Floor other) {
            return !equals(other) && other.level >= level;
        }
    }

    @Test
    void table_everyFloor_standsInTheCode() {
        for (Floor floor : TABLE) {
            assertTrue(MAIN.containPackage(ROOT + floor.name), () -> floor.name + ": no class file was read");
        }
    }

    @Test
    void table_everyClass_hasAFloor() {
        check(classes()
                .should()
                .resideInAnyPackage(TABLE.stream().map(Floor::tree).toArray(String[]::new)));
    }

    @Test
    void package_everyOne_isNullMarked() {
        for (String name : MAIN.stream().map(c -> c.getPackageName()).distinct().toList()) {
            assertTrue(MAIN.getPackage(name).isAnnotatedWith(NullMarked.class), () -> name + ": not @NullMarked");
        }
    }

    @Test
    void package_everyOne_importsOnlyLowerFloors() {
        assertAll(TABLE.stream().map(floor -> () -> {
            String[] forbidden =
                    TABLE.stream().filter(floor::mayNotSee).map(Floor::tree).toArray(String[]::new);
            if (forbidden.length > 0) {
                check(noClasses()
                        .that()
                        .resideInAPackage(floor.tree())
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(forbidden));
            }
        }));
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

    /** But for the one that carries another: WebSocket messages hold frames, and a frame knows nothing of its carrier. */
    @Test
    void protocol_each_seesNoOther() {
        check(slices().matching(ROOT + "protocol.(*)..")
                .should()
                .notDependOnEachOther()
                .ignoreDependency(
                        resideInAPackage(ROOT + "protocol.websocket.."), resideInAPackage(ROOT + "protocol.frame..")));
    }

    @Test
    void protocol_port_seesNoProtocol() {
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + "protocol")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + "protocol.*.."));
    }

    @Test
    void wheel_imports_areTheJdk() {
        importsOnly("wheel", "java..");
    }

    @Test
    void event_imports_areTheJdk() {
        importsOnly("event", "java..");
    }

    @Test
    void net_imports_areTheJdk() {
        importsOnly("net", "java..", "javax.net..");
    }

    @Test
    void liveness_imports_areTheJdkAndTheGroundFloor() {
        importsOnly("liveness", "java..", ROOT + "wheel..", ROOT + "event..");
    }

    @Test
    void auth_imports_areTheJdkAndTheGroundFloor() {
        String[] allowed = {"java..", "org.jspecify..", ROOT + "auth..", ROOT + "net.."};
        check(classes()
                .that()
                .resideInAPackage(ROOT + "auth")
                .should()
                .onlyDependOnClassesThat(are(resideInAnyPackage(allowed))));
    }

    @Test
    void session_imports_areTheJdkAndLowerFloors() {
        importsOnly("session", "java..", ROOT + "auth..", ROOT + "liveness..", ROOT + "wheel..", ROOT + "event..");
    }

    @Test
    void nettyTimer_imports_areTheWheelAndNettysUtil() {
        importsOnly("netty", "java..", ROOT + "wheel..", "io.netty.util..");
    }

    @Test
    void netty_belowTheProtocolAndInConfig_isNotSeen() {
        check(noClasses()
                .that()
                .resideInAnyPackage(
                        ROOT + "wheel..",
                        ROOT + "event..",
                        ROOT + "net..",
                        ROOT + "liveness..",
                        ROOT + "session..",
                        ROOT + "config..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.netty.."));
    }

    @Test
    void prometheusClient_outsideMetrics_isNotSeen() {
        seenOnlyBy("metrics", "io.prometheus..");
    }

    @Test
    void logback_outsideTheLog_isNotSeen() {
        seenOnlyBy("log", "ch.qos.logback..");
    }

    @Test
    void flightRecorder_outsideJfr_isNotSeen() {
        seenOnlyBy("jfr", "jdk.jfr..");
    }

    @Test
    void sqlite_outsideTheStore_isNotSeen() {
        seenOnlyBy("store", "org.sqlite..");
        check(noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + "store..", ROOT + "push..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.sql.."));
    }

    @Test
    void kafka_outsideItsOutlet_isNotSeen() {
        seenOnlyBy("outlet.kafka", "org.apache.kafka..");
    }

    @Test
    void natsClient_outsideItsEngineItsOutletAndTheWayThere_isNotSeen() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + "nats..", ROOT + "cluster.nats..", ROOT + "outlet.nats..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.nats.."));
    }

    @Test
    void cluster_ports_importTheJdkAndWhereTheServersAre() {
        String[] allowed = {"java..", "org.jspecify..", ROOT + "cluster"};
        check(classes()
                .that()
                .resideInAPackage(ROOT + "cluster")
                .should()
                .onlyDependOnClassesThat(are(resideInAnyPackage(allowed)).or(are(equivalentTo(NatsServers.class)))));
    }

    @Test
    void nimbus_outsideItsMethod_isNotSeen() {
        seenOnlyBy("auth.jwt", "com.nimbusds..");
        seenOnlyBy("auth.jwt", "com.amazon..");
    }

    @Test
    void typesafeConfig_outsideConfig_isNotSeen() {
        seenOnlyBy("config", "com.typesafe.config..");
    }

    @Test
    void logging_inTheWheel_isNotSeen() {
        check(noClasses()
                .that()
                .resideInAPackage(ROOT + "wheel..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.slf4j..", "ch.qos.logback..", "java.util.logging..", "java.lang.System.Logger")
                .orShould()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err"));
    }

    @Test
    void clock_inWheelLivenessAndSession_isHandedIn() {
        check(noClasses()
                .that()
                .resideInAnyPackage(ROOT + "wheel..", ROOT + "liveness..", ROOT + "session..")
                .should()
                .accessTargetWhere(readsAClock()));
    }

    /** Calls and method references alike. */
    private static DescribedPredicate<JavaAccess<?>> readsAClock() {
        return DescribedPredicate.describe("a clock is read", access -> {
            String owner = access.getTargetOwner().getName();
            String name = access.getTarget().getName();
            return CLOCK_READS.contains(owner + '.' + name)
                    || (owner.startsWith("java.time.")
                            && Stream.of("now", "system", "tick").anyMatch(name::startsWith))
                    || (owner.equals("java.util.Date") && name.equals("<init>"));
        });
    }

    private static void importsOnly(String floor, String... allowed) {
        String[] withOwn = Stream.concat(Stream.of(allowed), Stream.of(ROOT + floor + "..", "org.jspecify.."))
                .toArray(String[]::new);
        check(classes()
                .that()
                .resideInAPackage(ROOT + floor + "..")
                .should()
                .onlyDependOnClassesThat(are(resideInAnyPackage(withOwn))));
    }

    private static void seenOnlyBy(String floor, String library) {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + floor + "..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library));
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(MAIN);
    }
}

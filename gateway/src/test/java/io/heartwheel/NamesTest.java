package io.heartwheel;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A look-up of a name can take minutes and stands a thread still: it is done for the addresses to bind, while starting, and nowhere else. */
class NamesTest {
    private static final Set<String> LOOK_UPS =
            Set.of("getByName", "getAllByName", "getLocalHost", "getHostName", "getCanonicalHostName");

    @Test
    void lookUp_outsideOfTheAddressesToBind_isNotMade() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.heartwheel.transport.BindAddress")
                .should()
                .accessTargetWhere(looksUp())
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.heartwheel"));
    }

    private static DescribedPredicate<JavaAccess<?>> looksUp() {
        return DescribedPredicate.describe("a name is looked up", access -> {
            String owner = access.getTargetOwner().getName();
            String name = access.getTarget().getName();
            boolean address =
                    owner.equals(InetAddress.class.getName()) || owner.equals(InetSocketAddress.class.getName());
            return address && (LOOK_UPS.contains(name) || isOfAName(owner, access));
        });
    }

    /** {@code new InetSocketAddress("name", port)}. */
    private static boolean isOfAName(String owner, JavaAccess<?> access) {
        return owner.equals(InetSocketAddress.class.getName())
                && access.getTarget().getFullName().contains("<init>(java.lang.String");
    }
}

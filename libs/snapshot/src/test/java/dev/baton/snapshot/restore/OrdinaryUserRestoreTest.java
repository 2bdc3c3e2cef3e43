/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.github.luben.zstd.Zstd;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.PackIndex;
import dev.baton.snapshot.posix.ProcessCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Permissions do not restrict the superuser, so a process of another user restores the tree. */
class OrdinaryUserRestoreTest {
  private final ScratchDirectory scratch;

  OrdinaryUserRestoreTest() throws IOException {
    scratch = new ScratchDirectory();
  }

  @AfterEach
  void removeScratch() throws IOException {
    scratch.close();
  }

  @Test
  void shouldRestoreWhatItsOwnerMayNotTouch() throws Exception {
    // given
    assumeThat(ProcessCredentials.isSuperuser()).as("superuser").isTrue();
    assumeThat(Path.of("/usr/bin/setpriv")).as("setpriv of util-linux").exists();
    assumeThat(Path.of("/usr/bin/rsync")).as("rsync").exists();
    scratch.run(
        """
        chmod 755 . && mkdir source for-all && chmod 777 for-all && cd source
        mkdir -p closed/inner read-only/sub entered listed
        echo 1 > closed/inner/f; echo 1 > read-only/f; echo 1 > read-only/sub/f
        echo 1 > entered/f; echo 1 > listed/f; echo 1 > secret; echo 1 > write-only
        ln closed/inner/f read-only/linked; ln read-only/f closed/linked
        setfattr -n user.x -v y secret 2>/dev/null || true
        echo 1 > foreign; chown 1:1 foreign; echo 1 > special; chmod 4755 special
        chmod 0 closed/inner closed secret; chmod 0555 read-only/sub read-only
        chmod 0111 entered; chmod 0444 listed; chmod 0200 write-only; chmod 0500 .
        """);
    InMemoryPackSource packs = new InMemoryPackSource();
    Snapshot snapshot = TestCapture.of(scratch.resolve("source"), packs);
    for (PackRef pack : snapshot.packs()) {
      Files.write(scratch.resolve("for-all").resolve(pack.id().hex()), packs.bytes(pack));
    }

    // when
    String output = scratch.run(asNobody(snapshot.root()));

    // then
    assertThat(output).isEqualTo("[foreign: owner 1:1 needs the superuser's rights]\n");
    assertThat(
            scratch.run(
                "rsync -aHAXcn --no-owner --no-group --delete --itemize-changes --exclude special "
                    + "source/ for-all/target/"))
        .isEmpty();
    assertThat(scratch.run("stat -c %a:%u for-all/target/special")).isEqualTo("755:65534\n");
    assertThat(scratch.run("ls -A for-all | grep -v '^[0-9a-f]*$'")).isEqualTo("target\n");
  }

  private String asNobody(Hash root) throws IOException, InterruptedException {
    List<String> classPath = new ArrayList<>();
    for (Class<?> of : List.of(TreeRestorer.class, OrdinaryUserRestoreTest.class, Zstd.class)) {
      String from = of.getProtectionDomain().getCodeSource().getLocation().getPath();
      String to = "classes" + classPath.size();
      scratch.run("cp -r '%s' %s && chmod -R a+rX %s".formatted(from, to, to));
      classPath.add(to);
    }
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return "setpriv --reuid=65534 --regid=65534 --clear-groups %s -cp %s %s %s %s"
        .formatted(
            java + " -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED",
            String.join(":", classPath),
            "'" + OrdinaryUserRestoreTest.class.getName() + "$Main'",
            root,
            "for-all");
  }

  /** Runs as the other user: restores a tree from the packs in a directory, twice. */
  static final class Main {
    public static void main(String[] arguments) throws IOException, InterruptedException {
      Path directory = Path.of(arguments[1]);
      Map<PackRef, byte[]> packs = new HashMap<>();
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.toList()) {
          byte[] bytes = Files.readAllBytes(file);
          packs.put(PackIndex.identify(bytes, bytes.length), bytes);
        }
      }
      Snapshot snapshot = new Snapshot(Hash.parse(arguments[0]), List.copyOf(packs.keySet()), 0, 0);
      for (int i = 0; i < 2; i++) {
        RestoredTree restored =
            TreeRestorer.restore(
                snapshot,
                (pack, offset, into, length) ->
                    System.arraycopy(
                        packs.getOrDefault(pack, new byte[0]), (int) offset, into, 0, length),
                directory.resolve("target"),
                RestoreOptions.defaults());
        if (i == 1) {
          System.out.println(restored.degraded());
          restored.leftovers().forEach(System.out::println);
        }
      }
    }
  }
}

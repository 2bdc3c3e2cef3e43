/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs http steps to servers whose certificates are of an authority that the JDK does not have. */
class HttpStepTlsTest {
  private static final List<String> NAMES = List.of("ip:127.0.0.1");

  @TempDir private Path folder;

  /** Returns the lines of the run's trace. */
  private static String run(Issued certificate, TlsSettings trust) throws Exception {
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.settings().context()));
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    try {
      WorkflowParseResult parsed =
          WorkflowParser.parse(
              "{name: w, steps: [{id: a, http: {url: 'https://127.0.0.1:%d/x'}}]}"
                  .formatted(server.getAddress().getPort()),
              DefinitionFormat.YAML);
      TracedRun run =
          new TracedRun(
                  (WorkflowParseResult.Valid) parsed,
                  asked -> Optional.empty(),
                  context -> arguments -> arguments)
              .with(trust);
      run.carry(Integer.MAX_VALUE);
      return String.join("\n", run.lines());
    } finally {
      server.stop(0);
    }
  }

  @Test
  void shouldTrustTheConfiguredAuthority() throws Exception {
    CertificateAuthority own =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("own")));
    CertificateAuthority other =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("other")));
    TlsSettings trust = own.trusting();

    assertThat(run(own.issue("good", NAMES, 1), trust)).contains("\"status\":204");
    assertThat(run(own.issue("default", NAMES, 1), TlsSettings.NONE))
        .contains("http_io", "correct baton.tls.trust, or its certificate");
    assertThat(run(other.issue("strange", NAMES, 1), trust))
        .contains("http_io", "its certificate is of an authority that is not trusted");
    assertThat(run(own.issue("old", NAMES, "-2d", 1), trust))
        .contains("http_io", "its certificate has expired");
    assertThat(run(own.issue("elsewhere", List.of("dns:api.example"), 1), trust))
        .contains("http_io", "its certificate is for another host; correct the step's url");
  }
}

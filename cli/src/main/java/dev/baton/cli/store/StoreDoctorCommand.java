/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.store;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.stack.StoreDoctorProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton store doctor}. */
@Command(
    name = "doctor",
    description =
        "Check whether an S3 server has what Baton needs of its object store, with requests to a "
            + "bucket of it. Exit code 1 when a requirement is missing.",
    footer = {
      "%nThe credentials are taken from BATON_OBJECT_STORE_ACCESS_KEY and",
      "BATON_OBJECT_STORE_SECRET_KEY, as by the checkpoint-store. BATON_TLS_TRUST is a PEM",
      "file with further authorities of an https endpoint.",
      "%nExamples:",
      "  baton store doctor --endpoint https://s3.example.org --bucket baton-test",
      "  baton store doctor --endpoint http://127.0.0.1:9000 --secret-key-file key.txt -o json"
    })
public final class StoreDoctorCommand implements Callable<Integer> {
  private static final int MAX_SECRET_BYTES = 4_096;

  private final CommandContext context;

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      required = true,
      description = "Address of the S3 server: http or https, host and port.")
  private String endpoint = "";

  @Option(
      names = "--bucket",
      paramLabel = "NAME",
      description =
          "Bucket for the check; created if it is missing. Objects are written below "
              + "baton-doctor-… and removed. Default: ${DEFAULT-VALUE}.",
      defaultValue = "baton")
  private String bucket = "baton";

  @Option(
      names = "--region",
      paramLabel = "NAME",
      description = "Region that requests are signed for. Default: ${DEFAULT-VALUE}.",
      defaultValue = "us-east-1")
  private String region = "us-east-1";

  @Option(
      names = "--access-key",
      paramLabel = "KEY",
      description = "Access key. Default: from the environment.")
  private @Nullable String accessKey;

  @Option(
      names = "--secret-key-file",
      paramLabel = "FILE",
      description = "File that contains the secret key. Default: from the environment.")
  private @Nullable Path secretKeyFile;

  @Option(
      names = "--page",
      paramLabel = "N",
      description =
          "Objects in a page of a list, 1 to 1000: some more than that are created. "
              + "Default: ${DEFAULT-VALUE}.",
      defaultValue = "1000")
  private int page = 1_000;

  public StoreDoctorCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (page < 1 || page > 1_000) {
      throw CliException.usage("--page %d: allowed is 1 to 1000".formatted(page));
    }
    if (System.getProperty("baton.home", "").isEmpty()) {
      throw CliException.usage(
          "the location of Baton's programs is unknown: start this command with ./baton, which sets it");
    }
    return StoreDoctorProgram.run(
        endpoint, region, bucket, page, accessKey, secretKey(), context.json());
  }

  private @Nullable String secretKey() throws IOException {
    if (secretKeyFile == null) {
      return null;
    }
    if (!Files.isRegularFile(secretKeyFile) || Files.size(secretKeyFile) > MAX_SECRET_BYTES) {
      throw CliException.of(
          CliExitCode.USAGE,
          "--secret-key-file %s: expected is a file of at most %d bytes"
              .formatted(secretKeyFile, MAX_SECRET_BYTES));
    }
    return Files.readString(secretKeyFile).strip();
  }
}

/*
 * tests/unit/run_labels_test.c - what launchers, containers and the user say of a run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/run_labels.h"

#include "base/mem.h"
#include "sc_test.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* "rank=3 world_size=8", in the order in which they were set; variables end in a newline each. */
static void assert_labels(const char *variables, const char *expected)
{
    SC_AUTO(sc_labels_done) struct sc_labels labels = {0};
    SC_AUTO(sc_str_done) struct sc_str shown = {0};
    SC_AUTO_FREE char *environment = sc_strdup(variables);
    for (char *at = environment; *at != '\0'; at++)
        *at = *at == '\n' ? '\0' : *at;
    sc_labels_of_environment(environment, strlen(variables), &labels);
    for (size_t i = 0; i < labels.count; i++)
        sc_str_add_format(&shown, "%s%s=%s", i > 0 ? " " : "", labels.items[i].name,
                          labels.items[i].value);
    assert_string_equal(sc_str_text(&shown), expected);
}

TEST(launchers_number_processes)
{
    assert_labels("RANK=3\nLOCAL_RANK=1\nWORLD_SIZE=8\nGROUP_RANK=1\n",
                  "rank=3 local_rank=1 world_size=8 node=1");
    assert_labels("OMPI_COMM_WORLD_RANK=3\nOMPI_COMM_WORLD_LOCAL_RANK=1\nOMPI_COMM_WORLD_SIZE=8\n",
                  "rank=3 local_rank=1 world_size=8");
    assert_labels("PMI_SIZE=8\nPMI_RANK=3\nMPI_LOCALRANKID=1\n",
                  "rank=3 local_rank=1 world_size=8");
    assert_labels("SLURM_STEP_ID=0\nSLURM_PROCID=3\nSLURM_LOCALID=1\nSLURM_NTASKS=8\n"
                  "SLURM_JOB_ID=77\nSLURM_NODEID=1\n",
                  "rank=3 local_rank=1 world_size=8 node=1 job=77");
    assert_labels("RAY_JOB_ID=01000000\nPOD_NAME=w-1\nDASK_WORKER_NAME=w\n",
                  "job=01000000 pod=w-1 worker=w");
    assert_labels("HOME=/root\nAWS_SECRET_ACCESS_KEY=x\nRANKS=3\nXRANK=3\n", "");
}

TEST(the_innermost_launcher_counts)
{
    /* torchrun in a task of Slurm, mpirun in the script of a batch job */
    assert_labels("SLURM_STEP_ID=0\nSLURM_PROCID=1\nSLURM_NTASKS=2\nRANK=5\nWORLD_SIZE=8\n",
                  "rank=5 world_size=8");
    assert_labels("SLURM_PROCID=0\nSLURM_NTASKS=8\nPMI_RANK=5\nPMI_SIZE=8\n",
                  "rank=5 world_size=8");
    /* how many there are is not taken from a launcher that numbers others */
    assert_labels("SLURM_STEP_ID=0\nSLURM_PROCID=1\nSLURM_NTASKS=2\nRANK=5\n", "rank=5");
    assert_labels("SLURM_STEP_ID=0\nSLURM_PROCID=1\nSLURM_STEP_NUM_TASKS=2\nSLURM_NTASKS=4\n"
                  "PMIX_RANK=1\n",
                  "rank=1 world_size=2");
}

TEST(the_script_of_a_batch_job_is_no_task)
{
    assert_labels("SLURM_PROCID=0\nSLURM_NTASKS=8\nSLURM_JOB_ID=77\n", "job=77");
}

TEST(what_is_no_number_is_no_rank)
{
    assert_labels("RANK=gold\nWORLD_SIZE=8\n", "");
    assert_labels("RANK=-1\n", "");
    assert_labels("RANK=\nPMI_RANK=2\n", "rank=2");
    assert_labels("RANK=3\nWORLD_SIZE=many\n", "rank=3");
    assert_labels("RANK=99999999999999999999\n", "");
}

TEST(values_are_bounded_and_text)
{
    SC_AUTO(sc_labels_done) struct sc_labels labels = {0};
    char *value = sc_alloc(402, 1);
    for (size_t i = 0; i < 400; i += 2)
        memcpy(value + 1 + i, "\xc3\xb6", 2);
    value[0] = 'a';
    sc_labels_set(&labels, "x", value);
    free(value);
    assert_int_equal(strlen(labels.items[0].value), 199);
    sc_labels_set(&labels, "x", "a\xff\xc3");
    assert_int_equal(labels.count, 1);
    assert_string_equal(labels.items[0].value, "a??");
}

static void assert_container(const char *cgroups, const char *mounts, const char *expected)
{
    SC_AUTO_FREE char *number = sc_container_of(cgroups, mounts);
    if (expected == NULL)
        assert_null(number);
    else
        assert_string_equal(number, expected);
}

TEST(containers_are_found)
{
    assert_container("12:pids:/docker/" ID "\n", "", ID);
    assert_container("0::/system.slice/docker-" ID ".scope\n", "", ID);
    assert_container("0::/\n", "5 4 0:1 /lib/docker/containers/" ID "/hostname /etc/hostname rw\n",
                     ID);
    assert_container("0::/\n", "5 4 0:1 / /lib/docker/overlay2/" ID "/merged rw\n", NULL);
    assert_container("0::/user.slice\n", "5 4 0:1 / / rw\n", NULL);
    assert_container("0::/" ID "0\n", "", NULL);
}
